package telemetry

import (
	"context"
	"encoding/json"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Jobs makes a job continue the trace of the code that inserted it, on whichever replica it runs.
// The job's metadata contains the trace's context. Every client of the queue needs it.
func (t *Traces) Jobs() []rivertype.Middleware {
	if t == nil {
		return nil
	}
	return []rivertype.Middleware{&tracedJobs{tracer: t.provider.Tracer(tracerName)}}
}

type tracedJobs struct {
	river.MiddlewareDefaults
	tracer trace.Tracer
}

// metadataKey is the key of the trace's context in a job's metadata.
const metadataKey = "trace"

// InsertMany implements rivertype.JobInsertMiddleware.
func (j *tracedJobs) InsertMany(ctx context.Context, inserted []*rivertype.JobInsertParams, insert func(context.Context) ([]*rivertype.JobInsertResult, error)) ([]*rivertype.JobInsertResult, error) {
	carried := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carried)
	if len(carried) > 0 {
		for _, params := range inserted {
			if err := carry(params, carried); err != nil {
				return nil, err
			}
		}
	}
	return insert(ctx)
}

func carry(params *rivertype.JobInsertParams, carried propagation.MapCarrier) error {
	all := map[string]json.RawMessage{}
	if len(params.Metadata) > 0 {
		if err := json.Unmarshal(params.Metadata, &all); err != nil {
			return err
		}
	}
	text, err := json.Marshal(carried)
	if err != nil {
		return err
	}
	all[metadataKey] = text
	params.Metadata, err = json.Marshal(all)
	return err
}

// Work implements rivertype.WorkerMiddleware.
func (j *tracedJobs) Work(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	var metadata struct {
		Trace propagation.MapCarrier `json:"trace"`
	}
	_ = json.Unmarshal(job.Metadata, &metadata) // metadata without a trace, such as an older service's, starts a new one
	ctx, span := j.tracer.Start(propagation.TraceContext{}.Extract(ctx, metadata.Trace), "job "+job.Kind, trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attribute.String("job.kind", job.Kind), attribute.Int64("job.id", job.ID), attribute.Int("job.attempt", job.Attempt)))
	defer span.End()
	err := work(ctx)
	if err != nil {
		span.SetStatus(codes.Error, "the job failed") // the log contains the error with the same job_id
	}
	return err
}
