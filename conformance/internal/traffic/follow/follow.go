// Package follow judges calls while another program writes them to a stream, one archive entry a
// line, and writes each breach as soon as the rule is decided. The stream may have many histories, each
// with a partner of its own.
package follow

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"partnerkit.dev/conformance/internal/traffic"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/internal/recording"
	"partnerkit.dev/schemas/partnerapi"
)

// Options sets how calls are judged.
type Options struct {
	Tickets  bool // the partners deliver their own tickets; entries may say so too
	Partial  bool // calls are missing, at any time
	Announce bool // write the name of a history before its calls are judged
}

// Finding is one line of the output: a rule that the calls of a history break.
type Finding struct {
	History  string              `json:"history"`
	Rule     string              `json:"rule"`
	Title    string              `json:"title"`
	Level    rule.Level          `json:"level"`
	Clause   string              `json:"clause"`
	Endpoint partnerapi.Endpoint `json:"endpoint"`
	Message  string              `json:"message"` // what the last breach showed
	Fix      string              `json:"fix"`
	Times    int                 `json:"times"`     // breaches since the previous line about this rule and history
	At       time.Time           `json:"at"`        // when the last call of the evidence started
	Evidence []report.Exchange   `json:"exchanges"` // of the last breach
}

const (
	// publishEvery is how often findings are written, and publishShare the least ratio of that
	// interval to the time that it takes.
	publishEvery = 250 * time.Millisecond
	publishShare = 20
	// mostRead is the number of entries that are read ahead, and mostReadBytes that of the bytes of their bodies.
	mostRead, mostReadBytes = 256, 8 << 20
)

// Run judges the calls that it reads, until in ends or ctx is done, and writes findings to out. It
// reports whether a MUST rule was broken, and how many calls of the contract it judged.
func Run(ctx context.Context, in io.Reader, out io.Writer, options Options) (broken bool, calls int, err error) {
	f := &follower{options: options, out: json.NewEncoder(out), histories: map[string]*history{}, ahead: semaphore.NewWeighted(mostReadBytes)}
	f.out.SetEscapeHTML(false)
	reading, end := context.WithCancel(ctx)
	defer end()
	entries := f.read(reading, in)
	tick := time.NewTicker(publishEvery)
	defer tick.Stop()
	next := time.Now()
	for {
		select {
		case one, more := <-entries:
			switch {
			case !more:
				f.finish()
				return f.broken, f.calls, f.publish()
			case one.err != nil:
				f.finish()
				return f.broken, f.calls, firstOf(one.err, f.publish())
			}
			f.ahead.Release(one.size)
			if err := f.take(one.entry); err != nil {
				return f.broken, f.calls, err
			}
		case now := <-tick.C:
			if err := f.rest(now); err != nil {
				return f.broken, f.calls, err
			}
		case <-ctx.Done():
			f.finish()
			return f.broken, f.calls, f.publish()
		}
		if now := time.Now(); now.After(next) {
			if err := f.publish(); err != nil {
				return f.broken, f.calls, err
			}
			f.evict()
			next = time.Now().Add(max(publishEvery, publishShare*time.Since(now)))
		}
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

type entry struct {
	entry *har.Exchange
	size  int64 // what it takes of what is read ahead
	err   error
}

// read decodes entries in a goroutine of its own, until ctx is done. It leaves their bodies as they are.
func (f *follower) read(ctx context.Context, in io.Reader) <-chan entry {
	entries := make(chan entry, mostRead)
	go func() {
		defer close(entries)
		for e, err := range har.Read(in) {
			one := entry{entry: e}
			if err != nil {
				one.err = fmt.Errorf("standard input: %w", err)
			} else if one.size = min(e.Size(), mostReadBytes); f.ahead.Acquire(ctx, one.size) != nil {
				return
			}
			select {
			case entries <- one:
			case <-ctx.Done():
				return
			}
		}
	}()
	return entries
}

// follower judges a stream.
type follower struct {
	options   Options
	out       *json.Encoder
	histories map[string]*history
	ahead     *semaphore.Weighted // bytes that are read ahead
	held      int64               // bytes of bodies that wait in the histories
	announced string
	calls     int
	broken    bool
}

// take adds an entry to its history, and judges what no later entry can precede.
func (f *follower) take(e *har.Exchange) error {
	x, is := recording.ContractCall(e)
	if !is {
		return nil
	}
	name := cmp.Or(x.Stream.History, x.Base)
	if x.Missed {
		for of, h := range f.histories {
			if name == "" || of == name {
				h.judge.Take(x)
			}
		}
		return nil
	}
	f.calls++
	h := f.histories[name]
	if h == nil {
		h = newHistory(traffic.Options{Tickets: f.options.Tickets || x.Stream.Tickets, Live: true, Partial: f.options.Partial}, &f.held)
		f.histories[name] = h
	}
	if err := f.announce(name); err != nil {
		return err
	}
	h.take(x)
	return nil
}

// announce writes whose calls are judged next, so that who starts the judge knows whose calls stopped it.
func (f *follower) announce(name string) error {
	if !f.options.Announce || name == f.announced {
		return nil
	}
	f.announced = name
	return f.write(struct {
		History string `json:"history"`
	}{name})
}

func (f *follower) write(line any) error {
	if err := f.out.Encode(line); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	return nil
}

// rest judges the calls of histories that have been quiet.
func (f *follower) rest(now time.Time) error {
	for name, h := range f.histories {
		if h.waiting.Len() > 0 && now.Sub(h.used) > quiet {
			if err := f.announce(name); err != nil {
				return err
			}
			h.judgeAll()
		}
	}
	return nil
}

func (f *follower) finish() {
	for _, h := range f.histories {
		h.judgeAll()
		h.judge.Finish()
		h.changed = true
	}
}

// publish writes what is new.
func (f *follower) publish() error {
	for name, h := range f.histories {
		if !h.changed {
			continue
		}
		h.changed = false
		for _, b := range h.judge.Breaches() {
			f.broken = f.broken || b.Rule.Level == rule.Must
			before := h.written[b.Rule.ID]
			if b.Times <= before {
				continue
			}
			h.written[b.Rule.ID] = b.Times
			finding := Finding{
				History: name, Rule: b.Rule.ID, Title: b.Rule.Title, Level: b.Rule.Level, Clause: b.Rule.Clause, Endpoint: b.Rule.Endpoint,
				Message: b.Message, Fix: b.Rule.Fix, Times: b.Times - before, At: h.last, Evidence: b.Shown,
			}
			if n := len(b.Shown); n > 0 {
				finding.At = b.Shown[n-1].StartedAt
			}
			if err := f.write(finding); err != nil {
				return err
			}
		}
	}
	return nil
}

// evict forgets the histories that were used least recently, when memory runs short. What follows
// of them is judged as new.
func (f *follower) evict() {
	limit := debug.SetMemoryLimit(-1)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if int64(live[0].Value.Uint64()) < limit/2 || len(f.histories) == 0 {
		return
	}
	names := make([]string, 0, len(f.histories))
	for name := range f.histories {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return f.histories[a].used.Compare(f.histories[b].used) })
	for _, name := range names[:(len(names)+1)/2] {
		f.histories[name].forget()
		delete(f.histories, name)
	}
	debug.FreeOSMemory() // the next check must see what is left
}
