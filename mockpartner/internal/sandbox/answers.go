package sandbox

import (
	"sync"

	"partnerkit.dev/mockpartner/internal/platform"
)

const (
	// maxAnswersBytes is the maximum size of a sandbox's remembered answers, in bytes.
	maxAnswersBytes = 4 << 20
	// maxRequestBytes is the longest request whose answer is remembered, in bytes.
	maxRequestBytes = 2 << 10
)

// Answers remembers rendered availability answers by the bytes of their request. A sync repeats the
// same requests, and the answers are equal while the platform's stamp is fresh. It is safe for
// concurrent use.
type Answers struct {
	mu    sync.Mutex
	known map[string]answer
	bytes int
}

type answer struct {
	body  []byte
	stamp platform.Stamp
}

func newAnswers() *Answers { return &Answers{known: map[string]answer{}} }

// Get returns the remembered answer to a request, if it is still current.
func (a *Answers) Get(request []byte) ([]byte, bool) {
	a.mu.Lock()
	found, ok := a.known[string(request)]
	a.mu.Unlock()
	if !ok || !found.stamp.IsFresh() {
		return nil, false
	}
	return found.body, true
}

// Put remembers an answer. The body must not change any more.
func (a *Answers) Put(request, body []byte, stamp platform.Stamp) {
	if len(request) > maxRequestBytes || len(body) > maxAnswersBytes/4 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if stale, ok := a.known[string(request)]; ok {
		a.bytes -= len(request) + len(stale.body)
		delete(a.known, string(request))
	}
	if a.bytes+len(request)+len(body) > maxAnswersBytes {
		clear(a.known)
		a.bytes = 0
	}
	a.bytes += len(request) + len(body)
	a.known[string(request)] = answer{body: body, stamp: stamp}
}
