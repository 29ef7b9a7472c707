package storefront

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps what has been made, up to a number of bytes; what was not asked for the
// longest time goes first. It is safe for concurrent use.
type cache struct {
	most int64

	mu    sync.Mutex
	bytes int64
	byKey *simplelru.LRU[any, kept]
}

type kept struct {
	value any
	bytes int64
}

func newCache(most int64) *cache {
	c := &cache{most: most}
	c.byKey, _ = simplelru.NewLRU(math.MaxInt, func(_ any, k kept) { c.bytes -= k.bytes }) // fails for no size
	return c
}

func (c *cache) get(key any) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, _ := c.byKey.Get(key)
	return found.value
}

func (c *cache) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

func (c *cache) put(key, value any, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey.Remove(key)
	c.byKey.Add(key, kept{value, bytes})
	for c.bytes += bytes; c.bytes > c.most && c.byKey.Len() > 0; {
		c.byKey.RemoveOldest()
	}
}
