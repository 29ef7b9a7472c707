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
	// delay is the maximum delay of a line.
	delay = 100 * time.Millisecond
	// most limits the buffer, in bytes. The same number may be on its way to the output. Only a
	// longer line takes more.
	most = 64 << 10
)

// LogBuffer buffers a log's lines before the output, so that not every line costs a system call. It
// is safe for concurrent use.
//
// Lines are written complete and in order: at most 100 ms after the first, or immediately for a
// warning or an error. If the output is slow, the logging goroutine waits, and no line is lost.
// SIGKILL can lose the last 100 ms of lines.
type LogBuffer struct {
	writing sync.Mutex // held during a write to the output; locked before mu
	out     io.Writer
	spare   []byte // the buffer for the next lines

	mu    sync.Mutex
	lines []byte
	late  *time.Timer
}

// NewLogBuffer returns a buffer for the output.
func NewLogBuffer(out io.Writer) *LogBuffer {
	b := &LogBuffer{out: out, spare: make([]byte, 0, most), lines: make([]byte, 0, most)}
	b.late = time.AfterFunc(delay, func() { _ = b.Flush() }) // an error has no other place to be reported
	return b
}

// Write buffers a line. The error is that of earlier lines.
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

// Flush writes the buffered lines. The owner calls it before the process ends. Lines that cannot be
// written are lost.
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

// Handler returns a handler that flushes the buffer after warnings and errors. The given handler
// writes to the buffer.
func (b *LogBuffer) Handler(lines slog.Handler) slog.Handler { return &flushingHandler{lines, b} }

type flushingHandler struct {
	slog.Handler
	buffer *LogBuffer
}

func (h *flushingHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		err = errors.Join(err, h.buffer.Flush())
	}
	return err
}

func (h *flushingHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &flushingHandler{h.Handler.WithAttrs(attrs), h.buffer}
}

func (h *flushingHandler) WithGroup(name string) slog.Handler {
	return &flushingHandler{h.Handler.WithGroup(name), h.buffer}
}
