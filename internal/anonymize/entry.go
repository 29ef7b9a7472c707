package anonymize

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"partnerkit.dev/internal/har"
)

// Entry returns the archive entry of a call. redact removes keys from texts, and keys replaces the
// one of the Authorization header. The bodies must not have customers' data any more.
func Entry(x *har.Exchange, redact func(string) string, keys *Pseudonyms) har.Entry {
	took := float64(x.Took) / float64(time.Millisecond)
	address := *x.URL
	address.User = nil
	entry := har.Entry{
		Started: x.Started, Time: took, Timings: har.Timings{Wait: took},
		Request:  har.NewRequest(x.Method, redact(address.String()), "HTTP/1.1", x.Header),
		Response: har.NoResponse(x.Error),
	}
	for i, header := range entry.Request.Headers {
		if header.Name == "Authorization" {
			entry.Request.Headers[i].Value = keys.Replace(header.Value)
		} else {
			entry.Request.Headers[i].Value = redact(header.Value)
		}
	}
	// Every request has a Host. Readers take an entry without headers for one of a recorder that leaves them out.
	entry.Request.Headers = append(entry.Request.Headers, har.Pair{Name: "Host", Value: redact(address.Host)})
	if len(x.Body) > 0 {
		entry.Request.BodySize = int64(len(x.Body))
		entry.Request.PostData = &har.PostData{MIMEType: redact(x.Header.Get("Content-Type")), Params: []har.Pair{}, Text: redact(string(x.Body))}
	}
	if x.Status == 0 {
		return entry
	}
	content := har.Content{Text: redact(string(x.Answer))}
	if content.Size = int64(len(content.Text)); x.AnswerCut {
		content.Size++ // shows readers that there was more
		content.Comment = "left out: it did not arrive completely, or cannot be read"
	}
	if !utf8.ValidString(content.Text) {
		content.Text, content.Encoding = base64.StdEncoding.EncodeToString([]byte(content.Text)), "base64"
	}
	header := x.AnswerHeader.Clone()
	for _, values := range header {
		for i, value := range values {
			values[i] = redact(value)
		}
	}
	entry.Response = har.NewResponse(x.Status, "HTTP/1.1", header, content)
	return entry
}
