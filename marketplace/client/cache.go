package client

import (
	"math"
	"net/http"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps answers with their ETags, those that were asked for last, of so many bytes
// in all. It is safe for concurrent use; nil keeps nothing.
type cache struct {
	limit int

	mu    sync.Mutex
	size  int
	byURL *simplelru.LRU[string, kept]
}

type kept struct {
	etag string
	text []byte
}

func newCache(limit int) *cache {
	if limit <= 0 {
		return nil
	}
	c := &cache{limit: limit}
	c.byURL, _ = simplelru.NewLRU(math.MaxInt, func(_ string, k kept) { c.size -= len(k.text) }) // fails for no size
	return c
}

// find returns the answer that is kept of a request, and its ETag; "" where there is none.
func (c *cache) find(r *http.Request) ([]byte, string) {
	if c == nil || r.Method != http.MethodGet {
		return nil, ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	found, _ := c.byURL.Get(r.URL.String())
	return found.text, found.etag
}

// keep keeps an answer that has an ETag.
func (c *cache) keep(r *http.Request, etag string, text []byte) {
	if c == nil || r.Method != http.MethodGet || etag == "" || len(text) > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byURL.Remove(r.URL.String())
	c.byURL.Add(r.URL.String(), kept{etag, text})
	for c.size += len(text); c.size > c.limit; {
		c.byURL.RemoveOldest()
	}
}
