package partner

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// span is a call's part of the trace of what it is made for. It names no path, which may
// hold a code, and the partner is not told of it: the contract knows no such header.
type span struct{ trace.Span }

// spanOf begins a span where ctx is traced.
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

// end ends the span with what came of the call.
func (s span) end(o Outcome) {
	if !s.IsRecording() {
		return
	}
	s.SetAttributes(attribute.String("marketplace.outcome", string(o.Kind)))
	if o.Status != 0 {
		s.SetAttributes(semconv.HTTPResponseStatusCode(o.Status))
	}
	if !o.Kind.Answered() || o.Kind == Unreadable || o.Status >= http.StatusInternalServerError {
		s.SetStatus(codes.Error, string(o.Kind))
	}
	s.End()
}
