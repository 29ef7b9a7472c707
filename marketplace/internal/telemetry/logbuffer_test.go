package telemetry_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"partnerkit.dev/marketplace/internal/telemetry"
)

// output stores what is written and counts the writes.
type output struct {
	mu     sync.Mutex
	text   bytes.Buffer
	writes int
}

func (o *output) Write(lines []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writes++
	return o.text.Write(lines)
}

func (o *output) want(t *testing.T, text string, writes int) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.text.String() != text || o.writes != writes {
		t.Errorf("want %q by %d writes, got %q by %d", text, writes, o.text.String(), o.writes)
	}
}

// bareAttribute reduces a log line to its message and the attribute "more".
func bareAttribute(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.MessageKey || a.Key == "more" {
		return a
	}
	return slog.Attr{}
}

func open(out *output) (*telemetry.LogBuffer, *slog.Logger) {
	b := telemetry.NewLogBuffer(out)
	return b, slog.New(b.Handler(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: bareAttribute})))
}

func TestLinesAreWrittenTogetherAndNotLaterThanAfter100Milliseconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &output{}
		_, log := open(out)
		for range 2 { // an empty buffer can be filled again
			log.Info("a")
			time.Sleep(99 * time.Millisecond)
			log.Debug("b")
			out.want(t, "", 0)
			time.Sleep(time.Millisecond)
			synctest.Wait()
			out.want(t, "msg=a\nmsg=b\n", 1)
			out.text.Reset()
			out.writes = 0
			time.Sleep(time.Minute)
			synctest.Wait()
			out.want(t, "", 0)
		}
	})
}

func TestAWarningAndAnErrorAreWrittenImmediatelyInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // no time passes inside
		out := &output{}
		_, log := open(out)
		log.Info("a")
		log.Warn("b")
		out.want(t, "msg=a\nmsg=b\n", 1)
		log.With("more", 1).Error("c")
		out.want(t, "msg=a\nmsg=b\nmsg=c more=1\n", 2)
		log.WithGroup("g").Error("d")
		out.want(t, "msg=a\nmsg=b\nmsg=c more=1\nmsg=d\n", 3)
	})
}

func TestAllLinesOfManyAreWrittenWholeAndInTheirOrder(t *testing.T) {
	t.Parallel()
	const many, each = 16, 500
	out := &output{}
	b, log := open(out)
	var all sync.WaitGroup
	for who := range many {
		all.Go(func() {
			for n := range each {
				level := slog.LevelInfo
				if n%100 == who {
					level = slog.LevelError
				}
				log.Log(t.Context(), level, fmt.Sprintf("%d/%d/%s", who, n, strings.Repeat("x", n%300)))
			}
		})
	}
	all.Wait()
	if err := b.Flush(); err != nil {
		t.Error(err)
	}
	var next [many]int
	for line := range strings.Lines(out.text.String()) {
		var who, n int
		var rest string
		_, _ = fmt.Sscanf(strings.ReplaceAll(line, "/", " "), "msg=%d %d %s\n", &who, &n, &rest)
		if want := fmt.Sprintf("msg=%d/%d/%s\n", who, next[who], strings.Repeat("x", next[who]%300)); line != want {
			t.Fatalf("want %q, got %q", want, line)
		}
		next[who]++
	}
	for who, n := range next {
		if n != each {
			t.Errorf("want %d lines of %d, got %d", each, who, n)
		}
	}
}

// gate is an output whose writes wait for a receiver.
type gate chan []byte

func (g gate) Write(lines []byte) (int, error) {
	g <- bytes.Clone(lines)
	return len(lines), nil
}

func TestLoggingWaitsForASlowOutputAndLosesNothing(t *testing.T) {
	t.Parallel()
	const bound = 64 << 10
	line := []byte(strings.Repeat("x", 1023) + "\n")
	out := make(gate)
	b := telemetry.NewLogBuffer(out)
	var taken atomic.Int64 // bytes that have been read
	ended := make(chan error, 1)
	go func() {
		for range 1_000 {
			if _, err := b.Write(line); err != nil {
				ended <- err
				return
			}
			taken.Add(int64(len(line)))
		}
		err := b.Flush()
		close(out)
		ended <- err
	}()
	written := int64(0)
	for lines := range out {
		for range 1_000 { // lets a writer that does not wait get ahead
			runtime.Gosched()
		}
		if ahead := taken.Load() - written; ahead > 2*bound {
			t.Fatalf("want no more kept than %d bytes, got %d", 2*bound, ahead)
		}
		written += int64(len(lines))
	}
	if err := <-ended; err != nil || written != 1_000*int64(len(line)) {
		t.Errorf("want every line, got %d bytes and %v", written, err)
	}
}

func TestALineThatIsLongerThanTheBufferIsWrittenWhole(t *testing.T) {
	t.Parallel()
	out := &output{}
	b := telemetry.NewLogBuffer(out)
	long := strings.Repeat("x", 1<<20) + "\n"
	for _, line := range []string{"a\n", long, "b\n"} {
		if _, err := b.Write([]byte(line)); err != nil {
			t.Error(err)
		}
	}
	if err := b.Flush(); err != nil {
		t.Error(err)
	}
	out.want(t, "a\n"+long+"b\n", 3)
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestTheEndReportsThatTheOutputCannotBeWritten(t *testing.T) {
	t.Parallel()
	b := telemetry.NewLogBuffer(full{})
	if _, err := b.Write([]byte("a\n")); err != nil {
		t.Error(err)
	}
	if err := b.Flush(); !errors.Is(err, errFull) {
		t.Errorf("Expected it to be reported, received %v", err)
	}
}
