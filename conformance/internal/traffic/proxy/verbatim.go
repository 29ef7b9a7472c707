package proxy

import "net/http"

// verbatimWriter writes answers without what net/http adds: a Date, a guessed Content-Type, and the
// length of a short body. It also keeps what net/http removes.
type verbatimWriter struct {
	http.ResponseWriter
	head bool // the answer to a HEAD has no body
}

// Unwrap lets http.ResponseController flush and hijack.
func (w *verbatimWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *verbatimWriter) WriteHeader(status int) {
	if status < http.StatusOK && status != http.StatusSwitchingProtocols {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	header := w.Header()
	for _, name := range []string{"Date", "Content-Type"} {
		if _, has := header[name]; !has {
			header[name] = nil // nil keeps net/http from adding it
		}
	}
	bodiless := status == http.StatusNoContent || status == http.StatusNotModified
	if bodiless { // net/http removes these by their canonical names
		for name, other := range map[string]string{"Content-Type": "content-type", "Content-Length": "content-length"} {
			if values := header[name]; len(values) > 0 {
				header[other] = values
				header[name] = nil
			}
		}
	}
	w.ResponseWriter.WriteHeader(status)
	if _, sized := header["Content-Length"]; !sized && !bodiless && !w.head && status != http.StatusSwitchingProtocols {
		_ = http.NewResponseController(w.ResponseWriter).Flush() // otherwise net/http adds a length to a short body
	}
}
