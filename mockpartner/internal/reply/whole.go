package reply

import (
	"errors"
	"io"
	"net/http"
)

// Whole reads a request's body of at most so many bytes, or answers why it cannot.
func Whole(w http.ResponseWriter, r *http.Request, most int64) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		Message(w, http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
		return nil, false
	}
	if err != nil {
		Message(w, http.StatusBadRequest, "the body breaks off: %v", err)
		return nil, false
	}
	return body, true
}
