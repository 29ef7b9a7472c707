//go:build unix

package pgembed

import (
	"fmt"
	"io"
)

// progress shows how much was downloaded, in a line for every 10 MB.
type progress struct {
	out        io.Writer
	what, size string
	done       int64
}

const progressStep = 10 << 20

func newProgress(out io.Writer, what string, size int64) *progress {
	p := &progress{out: out, what: what}
	if size > 0 {
		p.size = fmt.Sprintf(" of %d", size>>20)
	}
	p.show()
	return p
}

func (p *progress) show() { fmt.Fprintf(p.out, "%s: %d%s MB\n", p.what, p.done>>20, p.size) }

func (p *progress) Write(part []byte) (int, error) {
	before := p.done / progressStep
	if p.done += int64(len(part)); p.done/progressStep > before {
		p.show()
	}
	return len(part), nil
}
