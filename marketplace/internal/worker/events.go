package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"partnerkit.dev/marketplace/internal/job"
)

// events sends some of the events due for one address and leaves the rest to the next job.
func (w *Worker) events(ctx context.Context, j *river.Job[job.Events]) error {
	if err := w.Events.Send(ctx, j.Args.Subscription); err != nil {
		return err
	}
	ending, cancel := settleContext(ctx)
	defer cancel()
	return w.Store.Events.Rest(ending, j.Args.Subscription, func(tx pgx.Tx, now, due time.Time) error {
		return finish(ending, tx, j, now, due)
	})
}

const (
	// publishPause is the maximum delay of an event's publication.
	publishPause = 200 * time.Millisecond
	// publishTime limits one round of publishing.
	publishTime = 10 * time.Second
)

// publisher publishes events while the worker runs. It is not a job, because there is usually
// something to publish, and one query finds out.
type publisher struct {
	end  context.CancelFunc
	done chan struct{}
}

func (p *publisher) start(w *Worker) {
	ctx, cancel := context.WithCancel(context.Background())
	p.end, p.done = cancel, make(chan struct{})
	go func() {
		defer close(p.done)
		for ctx.Err() == nil {
			if w.publish(ctx) {
				continue
			}
			select {
			case <-ctx.Done():
			case <-time.After(publishPause):
			}
		}
	}()
}

// stop waits until publishing has ended.
func (p *publisher) stop() {
	if p.end != nil {
		p.end()
		<-p.done
	}
}

// publish publishes some events and reports whether more are left.
func (w *Worker) publish(ctx context.Context) (more bool) {
	bound, cancel := context.WithTimeout(ctx, publishTime)
	defer cancel()
	more, err := w.Store.Events.Publish(bound)
	if err != nil && ctx.Err() == nil {
		w.Log.WarnContext(ctx, "events were not published; trying again", slog.Any("error", err))
	}
	return err == nil && more
}
