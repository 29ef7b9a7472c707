package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/jq"
	"partnerkit.dev/mockpartner/internal/platform"
)

// Cache repeats the partner's 2xx answer for equal requests, for this long in real time.
type Cache struct {
	For platform.Duration `yaml:"for" json:"for"`
	// By is a jq program on the request (method, path, query, body). Its output is the cache key;
	// empty means the complete request.
	By string `yaml:"by" json:"by,omitempty"`
}

type cache struct {
	lasts time.Duration
	by    *jq.Program
}

func (c *Cache) compile() (any, error) {
	if c.For <= 0 {
		return nil, invalid.ErrorAt("cache.for", "expected a duration above 0s")
	}
	by := c.By
	if by == "" {
		by = "."
	}
	program, err := jq.Compile("cache.by", by)
	return &cache{time.Duration(c.For), program}, err
}

// Memory holds the answers that the caches of one fault keep. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	known map[string]remembered
}

type remembered struct {
	answer response
	until  time.Time
}

// maxRemembered is the maximum number of answers in a Memory. When it is reached, all are
// forgotten.
const maxRemembered = 1000

func (c *cache) recall(ctx context.Context, m *Memory, request any, ask func() *response) *response {
	output, err := c.by.Run(ctx, request)
	if err != nil {
		return refusal(http.StatusInternalServerError, fmt.Sprintf("cache.by: %v", err))
	}
	text, _ := json.Marshal(output) // the value comes from JSON
	m.mu.Lock()
	kept, ok := m.known[string(text)]
	m.mu.Unlock()
	if ok && time.Now().Before(kept.until) {
		again := kept.answer
		again.header = again.header.Clone()
		return &again
	}
	answer := ask()
	if answer.status/100 != 2 {
		return answer
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= maxRemembered {
		m.known = map[string]remembered{}
	}
	m.known[string(text)] = remembered{response{answer.status, answer.header.Clone(), answer.body}, time.Now().Add(c.lasts)}
	return answer
}
