package live

import (
	"strings"
	"time"

	"partnerkit.dev/internal/anonymize"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/internal/recording"
)

// exchange returns a call in the form in which it is judged and recorded: without customers' data.
func (c *Call) exchange(masker *anonymize.Masker) *recording.Exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := &recording.Exchange{
		Endpoint: c.endpoint, Named: c.named, Segment: c.segment,
		Exchange: har.Exchange{
			Started: c.started, Took: c.took.Round(time.Microsecond), Method: c.method, URL: c.url, Header: c.header,
			Status: c.status, AnswerHeader: c.answered, Error: c.failure,
		},
	}
	request, answer, packed := c.request.text, c.answer.text, ""
	if c.status != 0 {
		packed = strings.ToLower(strings.TrimSpace(c.answered.Get("Content-Encoding")))
		c.answered.Del("Content-Encoding")
		x.AnswerCut = !c.answer.whole
	}
	switch packed {
	case "", "identity":
	case "gzip", "x-gzip":
		if !x.AnswerCut {
			answer, x.AnswerCut = har.Unzip(answer)
		}
	default:
		x.AnswerCut = true
	}
	if x.AnswerCut {
		answer = nil // an incomplete body is not judged, and may end within a name
	}
	x.Body, x.Answer = masker.Mask(c.endpoint, c.named, request, answer)
	return x
}
