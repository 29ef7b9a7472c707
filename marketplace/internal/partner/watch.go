package partner

import (
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Watcher sees the calls to partners. It must never block, because customers wait for them.
type Watcher interface {
	// Begins is called before a call may be sent. The returned function is called once, after it:
	// with nil if the partner received nothing.
	Begins(t Target) func(*Exchange)
}

// Exchange is a call that was sent, or may have been. The watcher may keep its bodies, but not
// change them.
type Exchange struct {
	Endpoint partnerapi.Endpoint
	Method   string
	URL      *url.URL
	Header   http.Header // of the request, with the key
	Body     []byte
	Took     time.Duration
	Limit    time.Duration
	Status   int // 0: no answer
	Answered http.Header
	Answer   []byte
	Cut      bool   // Answer is not complete
	Failure  string // why there was no answer
}

// sendWatched sends a call and shows it to the watcher, unless it tests settings.
func (c *Client) sendWatched(t Target, asked call, send func() reply) (reply, time.Duration) {
	ends := func(*Exchange) {}
	if c.config.Watcher != nil && !asked.trial {
		ends = c.config.Watcher.Begins(t)
	}
	began := c.config.Now()
	r := send()
	took := c.config.Now().Sub(began)
	if c.config.Watcher == nil || r.request == nil || !r.sent {
		ends(nil)
		return r, took
	}
	x := &Exchange{
		Endpoint: asked.endpoint, Method: asked.method, URL: r.request.URL, Header: r.request.Header, Body: r.asked, Took: took, Limit: asked.limit,
		Status: r.status, Answered: r.header, Answer: r.body, Cut: r.err != nil,
	}
	if r.status == 0 {
		x.Failure = "there was no answer"
	}
	if asked.read == nil { // the rest of the answer was not read
		x.Cut = x.Cut || int64(len(r.body)) > asked.largest
	}
	ends(x)
	return r, took
}
