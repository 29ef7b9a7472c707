package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// delay is how late a line may be.
	delay = 100 * time.Millisecond
	// most is how much is gathered, in bytes. As much may be on its way to the output;
	// only a line that is longer takes more.
	most = 64 << 10
)

// LogBuffer stands between a log's handler, which writes a line at a time, and the output:
// not every line costs a system call. It is safe for concurrent use.
//
// Lines are written complete and in order: at most 100 ms after the first of them, or
// immediately, with all that came before, where one is a warning or worse. Nothing is
// lost while the output is slow: the logging goroutine waits for it. SIGKILL loses the
// lines of the last 100 ms.
type LogBuffer struct {
	writing sync.Mutex // held while the output is written to; taken before mu
	out     io.Writer
	spare   []byte // what is written next is gathered here

	mu    sync.Mutex
	lines []byte
	late  *time.Timer
}

// NewLogBuffer returns a buffer before the output.
func NewLogBuffer(out io.Writer) *LogBuffer {
	b := &LogBuffer{out: out, spare: make([]byte, 0, most), lines: make([]byte, 0, most)}
	b.late = time.AfterFunc(delay, func() { _ = b.Flush() }) // the log is where one would tell
	return b
}

// Write takes a line. The error is that of the lines before it, which made room.
func (b *LogBuffer) Write(line []byte) (n int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.lines) > 0 && len(b.lines)+len(line) > most {
		b.mu.Unlock()
		err = b.Flush()
		b.mu.Lock()
	}
	if len(b.lines) == 0 {
		b.late.Reset(delay)
	}
	b.lines = append(b.lines, line...)
	return len(line), err
}

// Flush writes what has been gathered. The owner of a LogBuffer calls it at the end. Lines that
// cannot be written are lost.
func (b *LogBuffer) Flush() error {
	b.writing.Lock()
	defer b.writing.Unlock()
	b.mu.Lock()
	lines := b.lines
	b.lines = b.spare
	b.mu.Unlock()
	if b.spare = lines[:0]; cap(lines) > most {
		b.spare = make([]byte, 0, most)
	}
	if len(lines) == 0 {
		return nil
	}
	_, err := b.out.Write(lines)
	return err
}

// Handler returns one that flushes the buffer after warnings, and worse. The given one
// writes to the buffer.
func (b *LogBuffer) Handler(lines slog.Handler) slog.Handler { return &flushing{lines, b} }

type flushing struct {
	slog.Handler
	buffer *LogBuffer
}

func (h *flushing) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		err = errors.Join(err, h.buffer.Flush())
	}
	return err
}

func (h *flushing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &flushing{h.Handler.WithAttrs(attrs), h.buffer}
}

func (h *flushing) WithGroup(name string) slog.Handler {
	return &flushing{h.Handler.WithGroup(name), h.buffer}
}
