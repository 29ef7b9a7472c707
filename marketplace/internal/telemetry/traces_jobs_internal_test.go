package telemetry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestAJobIsPartOfTheTraceThatInsertedItAndShowsNoData(t *testing.T) {
	t.Parallel()
	ended := tracetest.NewSpanRecorder()
	traces := &Traces{provider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ended))}
	jobs := traces.Jobs()[0]
	insert := func(ctx context.Context) *rivertype.JobInsertParams {
		t.Helper()
		params := &rivertype.JobInsertParams{Kind: "booking_confirm", EncodedArgs: []byte(`{"guest":"Ana"}`), Metadata: []byte(`{"unique":1}`)}
		_, err := jobs.(rivertype.JobInsertMiddleware).InsertMany(ctx, []*rivertype.JobInsertParams{params}, func(context.Context) ([]*rivertype.JobInsertResult, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		return params
	}
	if params := insert(t.Context()); string(params.Metadata) != `{"unique":1}` || len(ended.Ended()) != 0 {
		t.Errorf("Expected no trace of an insertion outside a trace, received %s, %v", params.Metadata, ended.Ended())
	}
	ctx, request := traces.Requests().Start(t.Context(), "request")
	params := insert(ctx)
	if !strings.Contains(string(params.Metadata), `"unique":1`) {
		t.Errorf("Expected the other metadata unchanged, received %s", params.Metadata)
	}
	for _, c := range []struct {
		err  error
		want codes.Code
	}{{nil, codes.Ok}, {errors.New("Ana was not confirmed"), codes.Error}, {fmt.Errorf("Ana: %w", river.JobSnooze(time.Minute)), codes.Ok}} {
		job := &rivertype.JobRow{ID: 7, Kind: params.Kind, EncodedArgs: params.EncodedArgs, Metadata: params.Metadata}
		if err := jobs.(rivertype.WorkerMiddleware).Work(t.Context(), job, func(context.Context) error { return c.err }); err != c.err {
			t.Errorf("Expected the job's own error, received %v", err)
		}
		all := ended.Ended()
		span := all[len(all)-1]
		if span.Status().Code != c.want || span.SpanContext().TraceID() != request.SpanContext().TraceID() || !strings.Contains(span.Name(), "booking_confirm") {
			t.Errorf("%v: Expected %s in the request's trace, received %s, %+v", c.err, c.want, span.Name(), span.Status())
		}
		if text := fmt.Sprint(span.Attributes(), span.Events(), span.Status()); strings.Contains(text, "Ana") {
			t.Errorf("Expected no data, received %s", text)
		}
	}
}
