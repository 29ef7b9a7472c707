package conformance

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/parts"
)

const (
	// passEvery is how often waiting calls are passed to the judge. One by one, they would be written
	// while the next call waits for the processor, and wake the judge each time.
	passEvery = 50 * time.Millisecond
	// mostWritten is the size from which calls are written, in bytes.
	mostWritten = 256 << 10
	// writeTime is how long the judge may take to read what is written before it is replaced.
	writeTime = 10 * time.Second
	// longestLife is how long one judge runs. Its memory is bounded, but nothing is forever.
	longestLife = 24 * time.Hour
	// A judge that stopped is started again after firstRest, doubling up to longestRest.
	firstRest   = time.Second
	longestRest = time.Minute
	// judgeEndTime is how long a judge may take to read its last calls and to print its findings, before
	// it is killed. The service waits a little longer for it, so no judge outlives the service.
	judgeEndTime = time.Second
	// storeEvery is how often breaches are stored, within storeTime.
	storeEvery = 500 * time.Millisecond
	storeTime  = 5 * time.Second
)

// JudgeConfig configures a Judge.
type JudgeConfig struct {
	Store   BreachStore
	Command string // the path of the conformance command
	Sample  bool   // judge one minute in ten, instead of everything
	Now     func() time.Time
	Log     *slog.Logger
}

// Judge judges the calls that it sees, and stores breaches. It is safe for concurrent use.
type Judge struct {
	*tap
	config   JudgeConfig
	found    findings
	running  atomic.Bool
	restarts atomic.Int64
	stop     context.CancelFunc
	done     sync.WaitGroup
}

var _ partner.Watcher = (*Judge)(nil)

// NewJudge starts a judge. It must be closed.
func NewJudge(c JudgeConfig) (*Judge, error) {
	if err := parts.Check("judge", c); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	j := &Judge{tap: newTap(c.Now, c.Sample, c.Log), config: c, found: findings{pending: map[breachKey]Breach{}}, stop: stop}
	j.done.Go(func() { callEvery(ctx, heartbeatEvery, j.recordHeartbeat) })
	stored, end := context.WithCancel(context.Background())
	j.done.Go(func() {
		defer end()
		j.run(ctx)
	})
	j.done.Go(func() {
		callEvery(stored, storeEvery, j.keep)
		j.keep()
	})
	return j, nil
}

// callEvery calls f repeatedly until ctx ends.
func callEvery(ctx context.Context, interval time.Duration, f func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f()
		case <-ctx.Done():
			return
		}
	}
}

// Close stops the judge and stores what it found.
func (j *Judge) Close() {
	j.stop()
	j.done.Wait()
}

// errRenewed ends a judge that ran for longestLife.
var errRenewed = errors.New("the judge is replaced by a new one")

// run keeps a judge running.
func (j *Judge) run(ctx context.Context) {
	for rest := firstRest; ctx.Err() == nil; {
		began := time.Now()
		err := j.judge(ctx)
		j.discard()
		if ctx.Err() != nil || errors.Is(err, errRenewed) {
			continue
		}
		if time.Since(began) > longestRest {
			rest = firstRest
		}
		j.restarts.Add(1)
		j.config.Log.Warn("the judge of calls to partners stopped; it is started again", slog.Any("error", err), slog.Duration("after", rest))
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
		j.discard()
		rest = min(2*rest, longestRest)
	}
}

// judge runs one judge until it stops.
func (j *Judge) judge(ctx context.Context) error {
	p, err := startCommand(command{path: j.config.Command, dir: os.TempDir(), output: &lines{each: j.found.add}}, "judge", "--follow", "--partial", "-")
	if err != nil {
		return err
	}
	j.running.Store(true)
	defer j.running.Store(false)
	limitEnd := sync.OnceFunc(func() { time.AfterFunc(judgeEndTime, func() { p.end(0) }) }) // it has nothing to undo
	defer context.AfterFunc(ctx, limitEnd)()                                                // even while the judge does not read
	renew := time.NewTimer(longestLife)
	defer renew.Stop()
	next := time.NewTicker(passEvery)
	defer next.Stop()
	w := newWriter()
	for err == nil {
		select {
		case <-next.C:
			err = j.pass(p, w)
		case <-p.gone:
			return stopError(p)
		case <-renew.C:
			err = errRenewed
		case <-ctx.Done():
			err = cmp.Or(j.pass(p, w), ctx.Err())
		}
	}
	limitEnd()
	_ = p.input.Close() // it prints its last findings and ends
	<-p.gone
	if errors.Is(err, errWrite) {
		return stopError(p)
	}
	return err
}

func stopError(p *process) error {
	return fmt.Errorf("the conformance command ended with %d: %s", p.code(), p.lastError())
}

var errWrite = errors.New("the judge does not read its input")

// pass writes the calls that wait to the judge.
func (j *Judge) pass(p *process, w *writer) error {
	var text bytes.Buffer
	calls := int64(0)
	write := func() error {
		if pipe, can := p.input.(interface{ SetWriteDeadline(time.Time) error }); can {
			_ = pipe.SetWriteDeadline(time.Now().Add(writeTime))
		}
		if _, err := text.WriteTo(p.input); err != nil {
			return fmt.Errorf("%w: %w", errWrite, err)
		}
		j.judged.Add(calls)
		calls = 0
		return nil
	}
	for {
		select {
		case one := <-j.queue:
			j.releaseItem(one)
			if err := w.write(&text, one); err != nil {
				return err
			}
			if calls++; text.Len() >= mostWritten {
				if err := write(); err != nil {
					return err
				}
			}
			runtime.Gosched() // calls have priority
		default:
			if calls == 0 {
				return nil
			}
			return write()
		}
	}
}

// keep stores the breaches that were found since the last time.
func (j *Judge) keep() {
	found := j.found.take()
	if len(found) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if err := KeepBreaches(ctx, j.config.Store, found, j.config.Log); err != nil {
		j.config.Log.Warn("breaches of the contract were not stored", slog.Int("breaches", len(found)), slog.Any("error", err))
		j.found.putBack(found)
	}
}

// KeepBreaches stores breaches and logs the new ones.
func KeepBreaches(ctx context.Context, store BreachStore, found []Breach, log *slog.Logger) error {
	fresh, err := store.KeepBreaches(ctx, found)
	for _, b := range fresh {
		log.WarnContext(ctx, "a partner breaches the contract", slog.String("integration_id", b.Integration.String()),
			slog.String("rule", b.Rule), slog.String("clause", b.Clause), slog.String("level", b.Level), slog.String("endpoint", string(b.Endpoint)))
	}
	return err
}

// Counts is what a judge did since it was started.
type Counts struct {
	Judged, Restarts int64
	Waiting          int // calls that are not passed to the judge yet
	Dropped          map[Dropped]int64
	Running          bool
}

// Counts returns the counts.
func (j *Judge) Counts() Counts {
	c := Counts{Judged: j.judged.Load(), Restarts: j.restarts.Load(), Waiting: len(j.queue), Running: j.running.Load(), Dropped: map[Dropped]int64{}}
	for reason, n := range j.dropped {
		c.Dropped[reason] = n.Load()
	}
	return c
}

// BreachStore stores breaches.
type BreachStore interface {
	// KeepBreaches adds to the stored breaches and returns those that are new: not seen before, or
	// not for a day.
	KeepBreaches(ctx context.Context, found []Breach) (fresh []Breach, err error)
}

type breachKey struct {
	integration uuid.UUID
	rule        string
}
