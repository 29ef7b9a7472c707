package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"
)

// serviceName is the traces' service name unless OTEL_SERVICE_NAME is set.
const serviceName = "partnerkit-marketplace"

// Traces sends OpenTelemetry traces to a receiver by OTLP over HTTP. OpenTelemetry's environment
// variables set the receiver and the sampled share. Spans contain ids, routes, statuses and SQL
// without parameters, but no customer data, keys or tokens.
//
// A nil Traces sends nothing.
type Traces struct {
	provider *sdktrace.TracerProvider
	reads    *rate.Limiter // of traces that reads start; nil: OTEL_TRACES_SAMPLER decides
}

// One of these variables must be set. The first takes precedence.
const (
	tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	anyEndpoint    = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// CheckTraces returns an error for invalid environment variables that OpenTelemetry would only log,
// sending traces elsewhere.
func CheckTraces() error {
	for _, name := range []string{tracesEndpoint, anyEndpoint} {
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		if address, err := url.Parse(text); err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" || address.User != nil {
			return fmt.Errorf("%s: expected an address such as http://127.0.0.1:4318, without a user", name)
		}
		return checkProtocol()
	}
	return fmt.Errorf("set %s to the address of an OTLP receiver, such as http://127.0.0.1:4318", anyEndpoint)
}

// checkProtocol refuses protocols that this service does not support.
func checkProtocol() error {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if text := os.Getenv(name); text != "" && text != "http/protobuf" {
			return fmt.Errorf("%s: expected http/protobuf, received %.20q", name, text)
		}
	}
	return nil
}

// NewTraces returns traces that are sent in the background until they are closed.
func NewTraces(ctx context.Context, version string, log *slog.Logger) (*Traces, error) {
	otel.SetErrorHandler(&throttledErrorLog{log: log})
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare to send traces: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithService(), resource.WithTelemetrySDK(), // later ones take precedence
		resource.WithAttributes(semconv.ServiceName(serviceName), semconv.ServiceVersion(version)), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	options := []sdktrace.TracerProviderOption{sdktrace.WithBatcher(exporter), sdktrace.WithResource(about)}
	t := &Traces{}
	if os.Getenv("OTEL_TRACES_SAMPLER") == "" {
		t.reads = rate.NewLimiter(readsTraced, readsTraced)
	}
	t.provider = sdktrace.NewTracerProvider(options...)
	return t, nil
}

// readsTraced is the maximum number of traces per second that reads start. There are thousands of reads a second,
// each cheaper than its spans.
const readsTraced = 5

// StartRead reports whether a read starts a trace. A read that does not costs nothing: without a
// span in its context, queries are not traced either.
func (t *Traces) StartRead() bool { return t.reads == nil || t.reads.Allow() }

// Close sends the remaining spans, until ctx ends.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// tracerName distinguishes this service's spans from those of libraries.
const tracerName = "partnerkit.dev/marketplace"

// Requests returns the tracer for requests to the service; nil without tracing.
func (t *Traces) Requests() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer(tracerName)
}

// complaintPause is the minimum pause between log lines about traces that cannot be sent.
const complaintPause = time.Minute

// throttledErrorLog logs OpenTelemetry's errors at a limited rate, because an unavailable receiver causes
// many.
type throttledErrorLog struct {
	log  *slog.Logger
	last atomic.Int64
}

// Handle implements otel.ErrorHandler.
func (q *throttledErrorLog) Handle(err error) {
	now, last := time.Now().UnixNano(), q.last.Load()
	if now-last > int64(complaintPause) && q.last.CompareAndSwap(last, now) {
		q.log.Warn("traces were not sent", slog.Any("error", err))
	}
}
