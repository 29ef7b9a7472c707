package live

import (
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"partnerkit.dev/internal/anonymize"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/internal/recording"
	"partnerkit.dev/schemas/partnerapi"
)

// Call is a contract call that passes through. A nil Call is any other call: its methods do
// nothing.
type Call struct {
	counters *counters
	ended    func() // called once, after the end
	endpoint partnerapi.Endpoint
	method   string
	url      *url.URL
	segment  string
	named    string
	started  time.Time
	header   http.Header

	mu       sync.Mutex // the transport's goroutines read bodies, even after the end
	request  copied
	answer   copied
	status   int // 0: no answer
	answered http.Header
	took     time.Duration // until the last byte of the answer; 0: it is incomplete
	failure  string
	over     bool // stop copying

	// The queue owns these fields.
	earlier, later *Call
	lost           bool // not judged
	overdue        bool // no longer delays later calls
}

// Sends returns the body of the request, and keeps a copy while it is read.
func (c *Call) Sends(body io.ReadCloser) io.ReadCloser {
	if c == nil || c.lost {
		return body
	}
	return &tap{ReadCloser: body, read: func(p []byte, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.over {
			c.request.add(p, err)
		}
	}}
}

// Receives records the start of an answer. It returns the body, and keeps a copy while it is read.
func (c *Call) Receives(status int, header http.Header, length int64, body io.ReadCloser) io.ReadCloser {
	if c == nil {
		return body
	}
	c.mu.Lock()
	c.status, c.answered = status, contractHeaders(header)
	c.answered["Content-Encoding"] = header["Content-Encoding"]
	c.mu.Unlock()
	if length == 0 || body == http.NoBody {
		c.mu.Lock()
		c.answer.whole, c.took = true, time.Since(c.started)
		c.mu.Unlock()
		return body
	}
	return &tap{ReadCloser: body, read: func(p []byte, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.over {
			return
		}
		if !c.lost {
			c.answer.add(p, err)
		}
		if err == io.EOF {
			c.took = time.Since(c.started)
		}
	}}
}

// Fails records why no answer arrived.
func (c *Call) Fails(why string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = why
	c.counters.failures.Inc()
}

// End records that the call has ended, and queues it to be judged.
func (c *Call) End(callerGone bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.over = true
	if c.took == 0 {
		c.took = time.Since(c.started)
	}
	if c.status == 0 && c.failure == "" {
		c.failure = "there was no answer"
		if callerGone {
			c.failure = "the caller went away"
		}
	}
	c.mu.Unlock()
	c.counters.count(c.endpoint, c.status, c.took)
	c.ended()
}

// contractHeaders returns the headers that the contract mentions. Other headers may contain anything.
func contractHeaders(header http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Authorization", "Content-Type", "Date", "Location", "Retry-After"} {
		if values := header[name]; len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}

// books reports whether a call changes holds or bookings.
func (c *Call) books() bool {
	return c.endpoint != partnerapi.Products && c.endpoint != partnerapi.Availability
}

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
