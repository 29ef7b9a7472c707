package worker

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"partnerkit.dev/marketplace/internal/job"
)

// Bookings does what is owed to partners for bookings: a booking.Service. A delivery
// returns how long to wait before it is tried again; 0 is that it is over.
type Bookings interface {
	DeliverConfirm(ctx context.Context, booking uuid.UUID) (again time.Duration, err error)
	DeliverRelease(ctx context.Context, booking uuid.UUID) (again time.Duration, err error)
	DeliverCancel(ctx context.Context, booking uuid.UUID) (again time.Duration, err error)
	Sweep(ctx context.Context) error
}

func (w *Worker) confirm(ctx context.Context, j *river.Job[job.Confirm]) error {
	return again(w.Bookings.DeliverConfirm(ctx, j.Args.Booking))
}

func (w *Worker) release(ctx context.Context, j *river.Job[job.Release]) error {
	return again(w.Bookings.DeliverRelease(ctx, j.Args.Booking))
}

func (w *Worker) cancel(ctx context.Context, j *river.Job[job.Cancel]) error {
	return again(w.Bookings.DeliverCancel(ctx, j.Args.Booking))
}

func (w *Worker) sweep(ctx context.Context, _ *river.Job[job.Sweep]) error {
	return w.Bookings.Sweep(ctx)
}

// again has a delivery come back after a pause, as the same job.
func again(pause time.Duration, err error) error {
	if err == nil && pause > 0 {
		return river.JobSnooze(pause)
	}
	return err
}
