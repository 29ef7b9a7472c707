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

// Jobs has a job continue the trace of what inserted it, on whichever replica it runs: the
// job's metadata carries the trace's context. It is for every client of the queue.
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

// metadataKey is that of the trace's context in a job's metadata.
const metadataKey = "trace"

// InsertMany is the queue's.
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

// Work is the queue's.
func (j *tracedJobs) Work(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	var metadata struct {
		Trace propagation.MapCarrier `json:"trace"`
	}
	_ = json.Unmarshal(job.Metadata, &metadata) // one of an older service, or of none, starts a trace
	ctx, span := j.tracer.Start(propagation.TraceContext{}.Extract(ctx, metadata.Trace), "job "+job.Kind, trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attribute.String("job.kind", job.Kind), attribute.Int64("job.id", job.ID), attribute.Int("job.attempt", job.Attempt)))
	defer span.End()
	err := work(ctx)
	if err != nil {
		span.SetStatus(codes.Error, "the job failed") // the log has the error, after the same job_id
	}
	return err
}
