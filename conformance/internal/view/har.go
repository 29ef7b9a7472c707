package view

import (
	"fmt"
	"io"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/har"
)

const harRun = "run"

// drawHAR writes all calls of r as an HTTP archive, version 1.2, which browsers and proxies can
// open. Headers and bodies are as in evidence, without the key; answers are complete up to a size. It
// never copies a long run in memory.
func drawHAR(w io.Writer, r *report.Result) error {
	return har.Write(w,
		har.Creator{Name: "partnerkit conformance", Version: r.SuiteVersion, Comment: checksumWords(r)},
		[]har.Page{{
			Started: r.StartedAt, ID: harRun, Title: "conformance run: " + shorten(r.Target.BaseURL, maxText),
			Timings: har.PageTimings{OnContentLoad: har.Unknown, OnLoad: har.Unknown},
		}},
		r.Calls, harEntry)
}

func harEntry(x *report.Exchange) har.Entry {
	took := float64(x.Duration) / float64(time.Millisecond)
	entry := har.Entry{
		Page: harRun, Started: x.StartedAt, Time: took, Timings: har.Timings{Wait: took},
		Comment:  fmt.Sprintf("#%d %s", x.Number, x.Purpose),
		Request:  har.NewRequest(x.Request.Method, x.Request.URL, "HTTP/1.1", x.Request.Header),
		Response: har.NoResponse(""), BadInput: x.BadInput,
	}
	if body := x.Request.Body; body.Size > 0 {
		entry.Request.BodySize = body.Size
		entry.Request.PostData = &har.PostData{MIMEType: x.Request.Header.Get("Content-Type"), Params: []har.Pair{}, Text: body.Text, Comment: cutWords(body)}
	}
	if response := x.Response; response != nil {
		entry.Request.HTTPVersion = response.Proto
		content := har.Content{Size: response.Body.Size, Text: response.Body.Whole}
		if content.Text == "" {
			content.Text, content.Comment = response.Body.Text, cutWords(response.Body)
		}
		entry.Response = har.NewResponse(response.Status, response.Proto, response.Header, content)
	}
	if x.Failure != nil {
		entry.Response.Error = fmt.Sprintf("%s: %s", x.Failure.Kind, x.Failure.Message)
	}
	return entry
}

func cutWords(body report.Body) string {
	if !body.Cut {
		return ""
	}
	return fmt.Sprintf("the first %s of %s", size(int64(len(body.Text))), size(body.Size))
}
