package worker_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/job"
)

// deliveries remembers what it was asked for. The first try of a delivery is not the
// last.
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

func TestWhatIsOwedForABookingIsSentUntilItIsTaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	done, id := &deliveries{}, uuid.New()
	b.bookings = done
	b.replica(t)
	if err := b.store.InsertJobs(t.Context(), job.Confirm{Booking: id}, job.Release{Booking: id}, job.Cancel{Booking: id}, job.Sweep{Due: b.clock.Now()}); err != nil {
		t.Fatal(err)
	}
	until(t, "everything sent", func() bool {
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
