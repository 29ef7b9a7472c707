package worker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
)

// deliveries records its calls. The first attempt of a delivery is not the last.
type deliveries struct {
	mu    sync.Mutex
	asked []string
}

func (d *deliveries) ask(what string, id uuid.UUID) (time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := fmt.Sprint(what, " ", id)
	first := !slices.Contains(d.asked, name)
	d.asked = append(d.asked, name)
	if first {
		return time.Millisecond, nil
	}
	return 0, nil
}

func (d *deliveries) DeliverConfirm(_ context.Context, id uuid.UUID) (time.Duration, error) {
	return d.ask("confirm", id)
}

func (d *deliveries) DeliverRelease(_ context.Context, id uuid.UUID) (time.Duration, error) {
	return d.ask("release", id)
}

func (d *deliveries) DeliverCancel(_ context.Context, id uuid.UUID) (time.Duration, error) {
	return d.ask("cancel", id)
}

func (d *deliveries) Sweep(context.Context) error {
	_, err := d.ask("sweep", uuid.Nil)
	return err
}

func TestReleasesAndCancellationsAreSentUntilTheyAreAccepted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	done, id := &deliveries{}, uuid.New()
	b.bookings = done
	b.replica(t)
	check(t, b.store.InsertJobs(t.Context(), job.Confirm{Booking: id}, job.Release{Booking: id}, job.Cancel{Booking: id}, job.Sweep{Scheduled: job.Scheduled{Due: b.clock.Now()}}))
	waittest.Until(t, "everything sent", func() bool {
		return b.count(t, `SELECT count(*) FROM river_job WHERE state = 'completed'`) == 4
	})
	done.mu.Lock()
	defer done.mu.Unlock()
	slices.Sort(done.asked)
	want := []string{fmt.Sprint("cancel ", id), fmt.Sprint("confirm ", id), fmt.Sprint("release ", id)}
	if len(done.asked) != 7 || !slices.Equal(slices.Compact(slices.Clone(done.asked[:6])), want) {
		t.Errorf("want each of %v twice, and a sweep, got %v", want, done.asked)
	}
}

// broken fails every call.
type broken struct{ deliveries }

func (*broken) DeliverRelease(context.Context, uuid.UUID) (time.Duration, error) {
	return 0, errors.New("no way")
}

// A sweep finds the dropped job and raises attention.
func TestAJobThatFailsAtItsLastTryStaysAsDropped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.bookings = &broken{}
	check(t, b.store.InsertJobs(t.Context(), job.Release{Booking: uuid.New()}))
	pgtest.Exec(t, b.store, `UPDATE river_job SET attempt = max_attempts - 1`)
	b.replica(t)
	waittest.Until(t, "the job dropped", func() bool {
		return b.count(t, `SELECT count(*) FROM river_job WHERE state = 'discarded' AND queue = 'bookings' AND kind = 'booking_release' AND attempt = 12 AND finalized_at IS NOT NULL`) == 1
	})
}

// pressed is a delivery that an operator requests again while its job is ending.
type pressed struct {
	deliveries
	again func(context.Context) error
}

func (p *pressed) deliver(ctx context.Context, what string, id uuid.UUID) (time.Duration, error) {
	if first, _ := p.ask(what, id); first == 0 {
		return 0, nil
	}
	return 0, p.again(ctx)
}

func (p *pressed) DeliverRelease(ctx context.Context, id uuid.UUID) (time.Duration, error) {
	return p.deliver(ctx, "release", id)
}

func (p *pressed) DeliverCancel(ctx context.Context, id uuid.UUID) (time.Duration, error) {
	return p.deliver(ctx, "cancel", id)
}

func TestACallThatAnOperatorRepeatsWhileItsJobEndsIsSent(t *testing.T) {
	t.Parallel()
	for name, owed := range map[string]func(uuid.UUID) river.JobArgs{
		"a release":      func(id uuid.UUID) river.JobArgs { return job.Release{Booking: id} },
		"a cancellation": func(id uuid.UUID) river.JobArgs { return job.Cancel{Booking: id} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			one := owed(uuid.New())
			b.bookings = &pressed{again: func(ctx context.Context) error { return b.store.InsertJobs(ctx, one) }}
			b.replica(t)
			check(t, b.store.InsertJobs(t.Context(), one))
			waittest.Until(t, "both jobs done", func() bool { return b.count(t, `SELECT count(*) FROM river_job WHERE state = 'completed'`) == 2 })
		})
	}
}
