package schedules

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// jobState is the state of a job, in River's terms.
type jobState string

const (
	available jobState = "available"
	running   jobState = "running"
	completed jobState = "completed"
	discarded jobState = "discarded"
)

// job is a job in the queue.
type job struct {
	id      int
	kind    booking.JobKind
	booking uuid.UUID
	at      time.Time
	state   jobState
	tries   int
	run     int  // the number of starts: a rescued job may still be running elsewhere
	later   bool // it was not due immediately
}

func (j *job) isAlive() bool { return j.state == available || j.state == running }

// The queue's settings, as in package worker.
const (
	jobTime    = 21 * time.Second
	rescueTime = 52 * time.Second // 22 s, and the rescuer runs every 30 s
	mostTries  = 12
	sweepEvery = 30 * time.Second
)

// nominalPause is a pause without jitter, which would make runs differ.
func nominalPause(pause time.Duration) time.Duration {
	for _, n := range []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 15 * time.Minute} {
		if pause >= n*8/10 && pause <= n*12/10 {
			return n
		}
	}
	return pause
}

// insert adds a job in the transaction of the change that needs it.
func (d *database) insert(j booking.Job) {
	if j.Kind == booking.ConfirmJob {
		for _, other := range d.queue {
			if other.kind == j.Kind && other.booking == j.Booking && other.isAlive() {
				return
			}
		}
	}
	d.queue = append(d.queue, &job{id: len(d.queue) + 1, kind: j.Kind, booking: j.Booking, at: d.now().Add(nominalPause(j.After)), state: available, later: j.After > 0})
	d.wake()
}

func (d *database) wake() {
	select {
	case d.woken <- struct{}{}:
	default:
	}
}

// begin and end count what is in progress on a replica: requests, jobs and steps.
func (r *replica) begin() { r.count(1) }
func (r *replica) end()   { r.count(-1) }

func (r *replica) count(by int) {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	r.busy += by
}

// waits reports whether anything is in progress on a replica.
func (r *replica) waits() bool {
	r.world.mu.Lock()
	defer r.world.mu.Unlock()
	return r.busy > 0
}

// isQuiet reports whether nothing is in progress on any live replica.
func (w *world) isQuiet() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.replicas {
		if r.busy > 0 && !r.killed {
			return false
		}
	}
	return true
}

// work starts the jobs that are due until the run ends.
func (w *world) work() {
	for {
		wait := w.database.start()
		select {
		case <-w.over:
			return
		case <-w.database.woken:
		case <-time.After(wait):
		}
	}
}

// start starts the jobs that are due, and returns when to check again.
func (d *database) start() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	wait := time.Hour
	for _, j := range d.queue {
		if j.state != available {
			continue
		}
		left := time.Until(j.at)
		if left > 0 {
			wait = min(wait, left)
			continue
		}
		r := d.world.runningReplica(j.id + j.run)
		if r == nil {
			wait = min(wait, time.Second)
			continue
		}
		j.state, j.tries, j.run = running, j.tries+1, j.run+1
		r.begin()
		go d.world.do(r, j, j.run)
	}
	return wait
}

// do runs a job on a replica as River does: its outcome counts unless it was rescued
// meanwhile.
func (w *world) do(r *replica, j *job, run int) {
	defer r.end()
	rescue := time.AfterFunc(rescueTime, func() { w.database.finish(j, run, 0, context.DeadlineExceeded) })
	defer rescue.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), jobTime)
	defer cancel()
	ctx = withTask(ctx, task{name: fmt.Sprintf("%s job, run %d", j.kind, run), number: 20 + 10*j.id + run%10})
	deliver := map[booking.JobKind]func(context.Context, uuid.UUID) (time.Duration, error){
		booking.ConfirmJob: r.DeliverConfirm, booking.ReleaseJob: r.DeliverRelease, booking.CancelJob: r.DeliverCancel,
	}[j.kind]
	again, err := deliver(ctx, j.booking)
	if r.waitAwake() {
		w.database.finish(j, run, again, err)
	}
}

func (d *database) finish(j *job, run int, again time.Duration, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if j.state != running || j.run != run {
		return
	}
	switch {
	case err != nil && j.tries >= mostTries:
		j.state = discarded
	case err != nil:
		j.state, j.at = available, time.Now().Add(time.Duration(math.Pow(float64(j.tries), 4))*time.Second)
	case again > 0: // a snooze does not count as a try
		j.state, j.at, j.tries = available, time.Now().Add(nominalPause(again)), j.tries-1
	default:
		j.state = completed
	}
	d.wake()
}

// sweep sweeps every 30 s, on each replica in turn, until the run ends.
func (w *world) sweep() {
	for n := 1; ; n++ {
		select {
		case <-w.over:
			return
		case <-time.After(time.Until(w.began.Add(time.Duration(n)*sweepEvery + 5*time.Millisecond))):
		}
		r := w.runningReplica(n)
		if r == nil {
			continue
		}
		if due := w.database.dueBookings(0); len(due.Expired)+len(due.Reserves)+len(due.Confirms)+len(due.Dropped) == 0 {
			continue // it would change nothing
		}
		r.begin()
		go func() {
			defer r.end()
			ctx, cancel := context.WithTimeout(context.Background(), jobTime)
			defer cancel()
			_ = r.Sweep(withTask(ctx, task{name: fmt.Sprintf("sweep %d", n), number: 300 + n%100}))
			r.waitAwake()
		}()
	}
}

// isIdle reports whether nothing more will happen without a request.
func (w *world) isIdle() bool {
	quiet := w.isQuiet()
	d := w.database
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, j := range d.queue {
		quiet = quiet && !j.isAlive()
	}
	for _, r := range d.rows {
		quiet = quiet && r.Status != domain.Held && r.Status != domain.Reserving
		for _, call := range r.calls {
			quiet = quiet && (call.Endpoint != partnerapi.Confirm || call.ended != nil)
		}
	}
	return quiet
}

// longest is the maximum duration of a run, in virtual time.
const longest = 4 * time.Hour

// settle waits until nothing more happens: no work is left, and the background retries, at
// intervals of insistRarely, have taken no step.
func (w *world) settle() {
	for w.elapsedTime() < longest {
		before := w.steps()
		time.Sleep(sweepEvery)
		if w.isIdle() && w.steps() == before {
			return
		}
	}
}

// steps returns the number of steps so far.
func (w *world) steps() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.trace)
}

// close ends a run: killed replicas get no further answers, and everything that runs ends.
func (w *world) close() {
	close(w.over)
	w.loops.Wait() // nothing starts after this
	for _, r := range w.replicas {
		for r.waits() {
			time.Sleep(sweepEvery)
		}
		r.Wait()
	}
}
