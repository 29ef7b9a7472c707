package probe

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"partnerkit.dev/internal/bounded"
)

// readBody reads at most one byte more than largest of an answer's body, without its content coding. The transport
// requests gzip and unpacks it, if it has this name.
func readBody(answer *http.Response, largest int64) ([]byte, error) {
	body := io.Reader(answer.Body)
	coding := strings.ToLower(strings.TrimSpace(strings.Join(answer.Header.Values("Content-Encoding"), ", ")))
	if coding == "x-gzip" { // another name of gzip (RFC 9110)
		body, _ = bounded.Decompress(coding, body) // it is known
	}
	raw, err := io.ReadAll(io.LimitReader(body, largest+1))
	switch {
	case errors.Is(err, gzip.ErrHeader):
		return raw, errors.New("its Content-Encoding says gzip, but it is not gzip")
	case err != nil || len(raw) == 0 || !isRead(answer.StatusCode):
		return raw, err
	case coding != "" && coding != "identity" && coding != "x-gzip":
		return raw, fmt.Errorf("its Content-Encoding is %q, and the request accepts only gzip", coding)
	default:
		return raw, nil
	}
}

// isRead reports whether the marketplace reads the body of an answer with that status.
func isRead(status int) bool { return status/100 == 2 || status == http.StatusBadRequest }
