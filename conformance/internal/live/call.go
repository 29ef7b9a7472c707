package live

import (
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// largestCopy is the largest copy of one body, in bytes. No larger catalog is judged.
const largestCopy = 32 << 20

// Call is a contract call that passes through. A nil Call is any other call: its methods do
// nothing.
type Call struct {
	watcher  *Watcher
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

// Begin records that a call is passed on. It returns nil if the call is not part of the contract.
func (w *Watcher) Begin(method, target string, header http.Header) *Call {
	address, err := url.Parse(target)
	if err != nil {
		w.metrics.others.Inc()
		return nil
	}
	endpoint, segment, named, ok := partnerapi.CallOf(method, address)
	if !ok {
		w.metrics.others.Inc()
		return nil
	}
	c := &Call{watcher: w, endpoint: endpoint, method: method, url: address, segment: segment, named: named, header: known(header)}
	c.request.queue, c.answer.queue = &w.queue, &w.queue
	w.queue.begin(c)
	return c
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
	c.status, c.answered = status, known(header)
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
	c.watcher.metrics.failures.Inc()
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
	c.watcher.metrics.ended(c)
	c.watcher.queue.end(c)
}

// books reports whether a call changes holds or bookings.
func (c *Call) books() bool {
	return c.endpoint != partnerapi.Products && c.endpoint != partnerapi.Availability
}

// tap calls read with everything that is read of a body.
type tap struct {
	io.ReadCloser
	read func(p []byte, err error)
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.read(p[:n], err)
	return n, err
}

// copied is a copy of a body, or of its beginning.
type copied struct {
	queue *queue
	text  []byte
	held  int64 // bytes that the queue accounts for
	whole bool
	large bool // larger than the largest copy
	none  bool // no room for it
}

func (c *copied) add(p []byte, err error) {
	switch {
	case c.none || c.large || len(p) == 0:
	case len(c.text)+len(p) > largestCopy:
		c.large = true
	case !c.reserve(len(c.text) + len(p)):
		c.none = true
		c.release()
	default:
		c.text = append(c.text, p...)
	}
	c.whole = c.whole || err == io.EOF && !c.none && !c.large
}

// reserve makes the queue account for a copy of this length and for the capacity that it grows to.
func (c *copied) reserve(length int) bool {
	if length <= cap(c.text) {
		return true
	}
	room := max(length, min(2*cap(c.text), largestCopy), 512)
	if !c.queue.hold(int64(room)) { // until it is moved there are two copies
		return false
	}
	grown := make([]byte, len(c.text), room)
	copy(grown, c.text)
	c.queue.free(c.held)
	c.text, c.held = grown, int64(room)
	return true
}

// release drops the copy.
func (c *copied) release() {
	c.queue.free(c.held)
	c.text, c.held = nil, 0
}

// known returns the headers that the contract mentions. Other headers may contain anything.
func known(header http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Authorization", "Content-Type", "Date", "Location", "Retry-After"} {
		if values := header[name]; len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}
