package client

import (
	"container/list"
	"net/http"
	"sync"
)

// cache keeps answers with their ETags, those that were asked for last, of so many bytes
// in all. It is safe for concurrent use; nil keeps nothing.
type cache struct {
	limit int

	mu    sync.Mutex
	size  int
	order *list.List // of *kept, the last one that was asked for first
	byURL map[string]*list.Element
}

type kept struct {
	url, etag string
	text      []byte
}

func newCache(limit int) *cache {
	if limit <= 0 {
		return nil
	}
	return &cache{limit: limit, order: list.New(), byURL: map[string]*list.Element{}}
}

// find returns the answer that is kept of a request, and its ETag; "" where there is none.
func (c *cache) find(r *http.Request) ([]byte, string) {
	if c == nil || r.Method != http.MethodGet {
		return nil, ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at, found := c.byURL[r.URL.String()]
	if !found {
		return nil, ""
	}
	c.order.MoveToFront(at)
	k := at.Value.(*kept)
	return k.text, k.etag
}

// keep keeps an answer that has an ETag.
func (c *cache) keep(r *http.Request, etag string, text []byte) {
	if c == nil || r.Method != http.MethodGet || etag == "" || len(text) > c.limit {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	url := r.URL.String()
	if before, found := c.byURL[url]; found {
		c.drop(before)
	}
	for c.size+len(text) > c.limit {
		c.drop(c.order.Back())
	}
	c.byURL[url] = c.order.PushFront(&kept{url, etag, text})
	c.size += len(text)
}

func (c *cache) drop(at *list.Element) {
	k := c.order.Remove(at).(*kept)
	delete(c.byURL, k.url)
	c.size -= len(k.text)
}
