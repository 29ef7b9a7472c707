package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
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

// serviceName is that of the traces, unless OTEL_SERVICE_NAME says otherwise.
const serviceName = "partnerkit-marketplace"

// Traces sends OpenTelemetry traces to a receiver by OTLP over HTTP. OpenTelemetry's own
// environment variables say where to, and which share of the traces. Spans have ids,
// routes, statuses and SQL without its parameters: no customer's data, key or token.
//
// Nil is the one that sends nothing.
type Traces struct{ provider *sdktrace.TracerProvider }

// The variables of which one has to be set; the first takes precedence.
const (
	tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	anyEndpoint    = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// CheckTraces says what is wrong with the environment variables of traces, as far as
// OpenTelemetry itself would log it only, and send them elsewhere.
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

// checkProtocol refuses the protocols that this service does not speak.
func checkProtocol() error {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if text := os.Getenv(name); text != "" && text != "http/protobuf" {
			return fmt.Errorf("%s: expected http/protobuf, received %.20q", name, text)
		}
	}
	return nil
}

// NewTraces returns traces that are sent in the background, until they are closed.
func NewTraces(ctx context.Context, version string, log *slog.Logger) (*Traces, error) {
	otel.SetErrorHandler(&quietly{log: log})
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare to send traces: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithService(), resource.WithTelemetrySDK(), // the later ones take precedence
		resource.WithAttributes(semconv.ServiceName(serviceName), semconv.ServiceVersion(version)), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	options := []sdktrace.TracerProviderOption{sdktrace.WithBatcher(exporter), sdktrace.WithResource(about)}
	if os.Getenv("OTEL_TRACES_SAMPLER") == "" {
		options = append(options, sdktrace.WithSampler(sdktrace.ParentBased(fewReads{rate.NewLimiter(readsTraced, readsTraced)})))
	}
	return &Traces{sdktrace.NewTracerProvider(options...)}, nil
}

// readsTraced is how many reads a second begin a trace.
const readsTraced = 20

// fewReads traces everything but most of the reads: there are thousands a second, each of
// them much cheaper than its spans.
type fewReads struct{ limit *rate.Limiter }

// ShouldSample is OpenTelemetry's.
func (f fewReads) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	read := p.Kind == trace.SpanKindServer && slices.Contains(p.Attributes, semconv.HTTPRequestMethodGet)
	if read && !f.limit.Allow() {
		return sdktrace.NeverSample().ShouldSample(p)
	}
	return sdktrace.AlwaysSample().ShouldSample(p)
}

// Description is OpenTelemetry's.
func (f fewReads) Description() string { return "FewReads" }

// Close sends what is left, unless ctx ends before.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// tracerName names this service's own spans among those of libraries.
const tracerName = "partnerkit.dev/marketplace"

// Requests is the tracer for requests to the service; nil where none is traced.
func (t *Traces) Requests() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer(tracerName)
}

// complaintPause is the least time between two log lines about traces that are not sent.
const complaintPause = time.Minute

// quietly logs the errors of OpenTelemetry, of which a receiver that is away causes many.
type quietly struct {
	log  *slog.Logger
	last atomic.Int64
}

// Handle is OpenTelemetry's.
func (q *quietly) Handle(err error) {
	now, last := time.Now().UnixNano(), q.last.Load()
	if now-last > int64(complaintPause) && q.last.CompareAndSwap(last, now) {
		q.log.Warn("traces were not sent", slog.Any("error", err))
	}
}
