package live

import (
	"io"
	"sync/atomic"
)

// largestCopy is the largest copy of one body, in bytes. No larger catalog is judged.
const largestCopy = 32 << 20

// memory limits how many bytes all copies take.
type memory struct {
	most int64
	used atomic.Int64
}

// hold takes memory, and reports whether there was enough.
func (m *memory) hold(n int64) bool {
	if m.used.Add(n) > m.most {
		m.used.Add(-n)
		return false
	}
	return true
}

func (m *memory) release(n int64) { m.used.Add(-n) }

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
	memory *memory
	text   []byte
	held   int64 // bytes of memory that it was given
	whole  bool
	large  bool // larger than the largest copy
	none   bool // no room for it
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

// reserve takes memory for a copy of this length and for the capacity that it grows to.
func (c *copied) reserve(length int) bool {
	if length <= cap(c.text) {
		return true
	}
	room := max(length, min(2*cap(c.text), largestCopy), 512)
	if !c.memory.hold(int64(room)) { // until it is moved there are two copies
		return false
	}
	grown := make([]byte, len(c.text), room)
	copy(grown, c.text)
	c.memory.release(c.held)
	c.text, c.held = grown, int64(room)
	return true
}

// replace replaces the copy by the body without its compression, and reports whether there was memory for it.
func (c *copied) replace(text []byte) bool {
	c.release()
	c.none = !c.memory.hold(int64(len(text)))
	if !c.none {
		c.text, c.held = text, int64(len(text))
	}
	return !c.none
}

// release drops the copy.
func (c *copied) release() {
	c.memory.release(c.held)
	c.text, c.held = nil, 0
}
