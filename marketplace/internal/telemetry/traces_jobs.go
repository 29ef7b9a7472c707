package telemetry

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/riverqueue/rivercontrib/otelriver"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Jobs traces jobs and their insertion. A job continues the trace of the code that inserted it, on whichever
// replica it runs: its metadata contains the trace's context. Every client of the queue needs it.
func (t *Traces) Jobs() []rivertype.Middleware {
	if t == nil {
		return nil
	}
	return []rivertype.Middleware{&tracedJobs{otelriver.NewMiddleware(&otelriver.MiddlewareConfig{
		TracerProvider: t.provider, EnableTracePropagation: true, EnableWorkSpanJobKindSuffix: true,
	})}}
}

// tracedJobs adds to River's own traces that a booking is one trace, and that spans contain no texts of errors.
type tracedJobs struct{ *otelriver.Middleware }

// InsertMany implements rivertype.JobInsertMiddleware. Insertions outside a trace start none: most are those of
// schedules, and of reads that are not traced.
func (j *tracedJobs) InsertMany(ctx context.Context, inserted []*rivertype.JobInsertParams, insert func(context.Context) ([]*rivertype.JobInsertResult, error)) ([]*rivertype.JobInsertResult, error) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return insert(ctx)
	}
	return j.Middleware.InsertMany(ctx, inserted, insert)
}

// Work implements rivertype.WorkerMiddleware.
func (j *tracedJobs) Work(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) (err error) {
	var carried struct{ Traceparent, Tracestate string }
	_ = json.Unmarshal(job.Metadata, &carried) // metadata without a trace starts a new one
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": carried.Traceparent, "tracestate": carried.Tracestate})
	_ = j.Middleware.Work(ctx, job, func(ctx context.Context) error {
		err = work(ctx)
		return withoutText(err)
	})
	return err
}

var errJob = errors.New("the job failed") // the log contains the error with the same job_id

// withoutText reduces the error of a job to what River does because of it.
func withoutText(err error) error {
	later := (*river.JobSnoozeError)(nil)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &later):
		return later
	default:
		return errJob
	}
}
