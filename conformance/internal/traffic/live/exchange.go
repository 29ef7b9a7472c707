package live

import (
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
	coding := ""
	if c.status != 0 {
		coding = c.answered.Get("Content-Encoding")
		c.answered.Del("Content-Encoding")
		x.AnswerCut = !c.answer.whole
	}
	x.Body, x.Answer = c.request.text, c.answer.text
	x.Limit(coding)
	if !c.answer.replace(x.Answer) {
		x.Answer, x.AnswerCut = nil, true
	}
	x.Body, x.Answer = masker.Mask(c.endpoint, c.named, x.Body, x.Answer)
	return x
}
