package journal

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"partnerkit.dev/internal/har"
	"partnerkit.dev/mockpartner/client"
)

const httpVersion = "HTTP/1.1"

// WriteHAR writes exchanges as an HTTP archive, HAR 1.2, the format of browsers and debugging
// proxies. Targets are below base, such as http://127.0.0.1:8081/s/mine. It renders one exchange at
// a time.
func WriteHAR(w io.Writer, base string, exchanges []client.Exchange) error {
	return har.Write(w, har.Creator{Name: "mockpartner", Version: "1"}, nil, exchanges, func(e client.Exchange) har.Entry { return harOf(base, e) })
}

// WriteJSON writes exchanges as the elements of a JSON array, without its brackets. It renders one
// exchange at a time.
func WriteJSON(w io.Writer, exchanges []client.Exchange) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i, e := range exchanges {
		if i > 0 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		if err := encoder.Encode(e); err != nil {
			return fmt.Errorf("exchange %d: %w", e.Number, err)
		}
	}
	return nil
}

func harOf(base string, e client.Exchange) har.Entry {
	took := float64(e.Duration) / float64(time.Millisecond)
	entry := har.Entry{
		Started: e.Arrived.UTC(), Time: took, Timings: har.Timings{Wait: took},
		Request:    har.NewRequest(e.Method, base+e.Target, httpVersion, e.Request.Header),
		Response:   har.NewResponse(e.Status, httpVersion, e.Answer.Header, harContentOf(e.Answer)),
		Connection: e.Caller,
		Comment:    fmt.Sprintf("exchange %d, %s", e.Number, cmp.Or(string(e.Endpoint), "no endpoint")),
	}
	entry.Request.BodySize, entry.Response.BodySize = int64(len(e.Request.Body)), int64(len(e.Answer.Body))
	if len(e.Request.Body) > 0 {
		entry.Request.PostData = &har.PostData{
			MIMEType: e.Request.Header.Get("Content-Type"), Params: []har.Pair{},
			Text: strings.ToValidUTF8(string(e.Request.Body), "\uFFFD"),
		}
	}
	return entry
}

func harContentOf(m client.Message) har.Content {
	content := har.Content{Size: int64(len(m.Body))}
	if utf8.Valid(m.Body) {
		content.Text = string(m.Body)
	} else {
		content.Text, content.Encoding = base64.StdEncoding.EncodeToString(m.Body), "base64"
	}
	return content
}
