// Package live judges calls while they pass a proxy, without delaying them. It copies the calls and
// judges the copies one after another in its own goroutine. If it falls behind, it skips calls and
// counts them.
package live

import (
	"container/heap"
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/traffic"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/anonymize"
	"partnerkit.dev/internal/recording"
	"partnerkit.dev/schemas/partnerapi"
)

// Options sets how calls are judged. Zero values are the defaults.
type Options struct {
	Upstream              string // the partner's address, for the report and the page
	HandlesTicketDelivery bool
	Version               string                   // of the suite
	MostCalls             int64                    // maximum number of calls in progress or waiting to be judged
	MostBytes             int64                    // maximum number of bytes of their copies
	Recorder              *Recorder                // nil: record nothing
	Judged                func(recording.Exchange) // receives each call before it is judged; may be nil
}

const (
	defaultMostCalls = 2000
	defaultMostBytes = 128 << 20
	// publishEvery is the shortest interval at which findings are published.
	publishEvery = time.Second
	// publishShare is the minimum ratio of the interval to the time that publishing takes.
	publishShare = 20
)

// Watcher judges the calls that it receives while Run runs. Use New.
type Watcher struct {
	options    Options
	queue      queue
	judge      *traffic.Judge
	pseudonyms *anonymize.Pseudonyms
	masker     *anonymize.Masker
	counters   *counters
	began      time.Time
	stop       chan struct{}
	over       chan struct{}
	judged     atomic.Int64
	published  atomic.Pointer[Findings]
	waiting    byStart
	pace       *pace
}

// Findings is what the calls have shown up to a time.
type Findings struct {
	At       time.Time
	Result   *report.Result
	Redactor *probe.Redactor
	Dropped  int64 // calls that were not judged
	Complete bool  // no call was waiting to be judged
}

// New returns a watcher that has received no calls.
func New(options Options) *Watcher {
	if options.MostCalls == 0 {
		options.MostCalls = defaultMostCalls
	}
	if options.MostBytes == 0 {
		options.MostBytes = defaultMostBytes
	}
	session := make([]byte, 4)
	_, _ = rand.Read(session) // never fails
	w := &Watcher{
		options: options, judge: traffic.New(traffic.Options{Tickets: options.HandlesTicketDelivery, Version: options.Version, Live: true}), began: time.Now(),
		pace: newPace(), counters: newCounters(), masker: anonymize.NewMasker(), pseudonyms: anonymize.NewPseudonyms(hex.EncodeToString(session)), stop: make(chan struct{}), over: make(chan struct{}),
		queue: queue{mostCalls: options.MostCalls, memory: memory{most: options.MostBytes}, wake: make(chan struct{}, 1), overdue: map[*Call]bool{}},
	}
	w.publish(false)
	return w
}

// Begin records that a call is passed on. It returns nil if the call is not part of the contract.
func (w *Watcher) Begin(method, target string, header http.Header) *Call {
	address, err := url.Parse(target)
	if err != nil {
		w.counters.others.Inc()
		return nil
	}
	endpoint, segment, named, ok := partnerapi.CallOf(method, address)
	if !ok {
		w.counters.others.Inc()
		return nil
	}
	c := &Call{counters: w.counters, endpoint: endpoint, method: method, url: address, segment: segment, named: named, header: contractHeaders(header)}
	c.request.memory, c.answer.memory = &w.queue.memory, &w.queue.memory
	c.ended = func() { w.queue.end(c) }
	w.queue.begin(c)
	return c
}

// Run judges until Stop. found receives the findings whenever they are published.
func (w *Watcher) Run(found func(*Findings)) {
	defer close(w.over)
	tick := time.NewTicker(publishEvery)
	defer tick.Stop()
	next, fresh := time.Now().Add(publishEvery), false
	for last := false; !last; {
		select {
		case <-w.queue.wake:
		case <-tick.C:
		case <-w.stop:
			last = true
		}
		fresh = w.take(last) || fresh
		if now := time.Now(); last || fresh && now.After(next) {
			found(w.publish(last))
			next, fresh = time.Now().Add(max(publishEvery, publishShare*time.Since(now))), false
		}
	}
}

// Stop judges the waiting calls, until ctx is done at the latest, and returns the last findings.
// After Stop, no call may be added.
func (w *Watcher) Stop(ctx context.Context) *Findings {
	close(w.stop)
	select {
	case <-w.over:
	case <-ctx.Done():
	}
	return w.published.Load()
}

// take judges the calls that are due, or all of them if all is set, and reports whether there were
// any. It rests in between, unless Stop was called.
func (w *Watcher) take(all bool) bool {
	ended, until, missed := w.queue.takeEnded(time.Now())
	if !missed.from.IsZero() {
		w.judge.RecordMissed(missed.from, missed.to)
	}
	for _, c := range ended {
		began := time.Now()
		x := c.exchange(w.masker)
		w.judge.Learn(x)
		if w.options.Recorder != nil {
			w.options.Recorder.add(x, w.judge.Redact, w.pseudonyms)
			w.options.Recorder.flush()
		}
		heap.Push(&w.waiting, waiting{x, c})
		w.pace.rest(began, w.stop)
	}
	took := len(ended) > 0
	for len(w.waiting) > 0 && (all || !w.waiting[0].Started.After(until)) {
		began := time.Now()
		one := heap.Pop(&w.waiting).(waiting)
		if w.options.Judged != nil {
			w.options.Judged(*one.Exchange)
		}
		w.judge.Take(one.Exchange)
		w.judged.Add(1)
		w.queue.done(one.call)
		took = true
		w.pace.rest(began, w.stop)
	}
	if all {
		w.judge.Finish()
	} else {
		w.judge.JudgeUntil(until)
	}
	return took
}

func (w *Watcher) publish(complete bool) *Findings {
	findings := &Findings{At: time.Now(), Result: w.judge.Result(), Redactor: w.judge.Redactor(), Complete: complete}
	w.finish(findings)
	w.published.Store(findings)
	return findings
}

// finish adds to a result what the proxy knows.
func (w *Watcher) finish(f *Findings) {
	f.Dropped = w.queue.lostCalls.Load() + w.queue.lateCalls.Load()
	r := f.Result
	r.Target.BaseURL = w.judge.Redact(w.options.Upstream)
	if w.judge.Calls() == 0 {
		r.StartedAt = w.began.UTC().Truncate(time.Millisecond)
		r.Verdict, r.Reason = report.Incomplete, "no call of the partner contract passed"
	}
	r.Coverage.CallsNotJudged = int(f.Dropped)
}

// PendingCalls returns how many calls are in progress or wait to be judged.
func (w *Watcher) PendingCalls() int { return int(w.queue.held.Load()) }

// Memory returns how many bytes the copies of these calls take.
func (w *Watcher) Memory() int64 { return w.queue.memory.used.Load() }
