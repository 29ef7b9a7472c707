package partner

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// span is the trace of a call. It contains no path, because paths may contain codes. It is not
// propagated to the partner: the contract has no such header.
type span struct{ trace.Span }

// spanOf starts a span if ctx is traced.
func spanOf(ctx context.Context, t Target, asked call) (context.Context, span) {
	outer := trace.SpanFromContext(ctx)
	if !outer.IsRecording() {
		return ctx, span{outer}
	}
	ctx, made := outer.TracerProvider().Tracer("partnerkit.dev/marketplace/internal/partner").Start(ctx, "partner "+string(asked.endpoint),
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			semconv.HTTPRequestMethodKey.String(asked.method), semconv.ServerAddress(t.BaseURL.Hostname()),
			attribute.String("marketplace.integration.id", t.ID.String()), attribute.String("marketplace.endpoint", string(asked.endpoint))))
	return ctx, span{made}
}

// end ends the span with the call's outcome.
func (s span) end(o Outcome) {
	if !s.IsRecording() {
		return
	}
	s.SetAttributes(attribute.String("marketplace.outcome", string(o.Kind)))
	if o.Status != 0 {
		s.SetAttributes(semconv.HTTPResponseStatusCode(o.Status))
	}
	if !o.Kind.IsAnswered() || o.Kind == Unreadable || o.Status >= http.StatusInternalServerError {
		s.SetStatus(codes.Error, string(o.Kind))
	}
	s.End()
}
