//go:build unix

package pgembed

import (
	"fmt"
	"io"
	"os"
)

// progress shows how much was downloaded: on a terminal in one line that it updates, elsewhere in a
// few lines.
type progress struct {
	out        io.Writer
	what, size string
	before     string // each text
	after      string
	every      int64 // bytes from one text to the next
	done       int64
}

func newProgress(out io.Writer, what string, size int64) *progress {
	p := &progress{out: out, what: what, after: "\n", every: 10 << 20}
	if size > 0 {
		p.size = fmt.Sprintf(" of %d", size>>20)
	}
	if file, ok := out.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.before, p.after, p.every = "\r", "", 1<<20
		}
	}
	p.show()
	return p
}

func (p *progress) show() {
	fmt.Fprintf(p.out, "%s%s: %d%s MB%s", p.before, p.what, p.done>>20, p.size, p.after)
}

func (p *progress) Write(part []byte) (int, error) {
	before := p.done / p.every
	if p.done += int64(len(part)); p.done/p.every > before {
		p.show()
	}
	return len(part), nil
}

// end ends the line on a terminal.
func (p *progress) end() {
	if p.before != "" {
		fmt.Fprintln(p.out)
	}
}
