package storefront

import (
	"container/list"
	"sync"
)

// cache keeps what has been made, up to a number of bytes; what was not asked for the
// longest time goes first. It is safe for concurrent use.
type cache struct {
	most int64

	mu     sync.Mutex
	bytes  int64
	byKey  map[any]*list.Element
	recent *list.List // of *kept, the last one asked for first
}

type kept struct {
	key, value any
	bytes      int64
}

func newCache(most int64) *cache {
	return &cache{most: most, byKey: map[any]*list.Element{}, recent: list.New()}
}

func (c *cache) get(key any) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.byKey[key]
	if found == nil {
		return nil
	}
	c.recent.MoveToFront(found)
	return found.Value.(*kept).value
}

func (c *cache) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

func (c *cache) put(key, value any, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.byKey[key]; old != nil {
		c.drop(old)
	}
	c.byKey[key] = c.recent.PushFront(&kept{key, value, bytes})
	c.bytes += bytes
	for c.bytes > c.most && c.recent.Len() > 0 {
		c.drop(c.recent.Back())
	}
}

func (c *cache) drop(e *list.Element) {
	gone := c.recent.Remove(e).(*kept)
	delete(c.byKey, gone.key)
	c.bytes -= gone.bytes
}
