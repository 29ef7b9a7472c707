package metrics

import (
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"partnerkit.dev/marketplace/internal/partner"
)

// Called counts a call to a partner that has ended.
func (m *Metrics) Called(integration uuid.UUID, call partner.Observation) {
	m.calls.WithLabelValues(string(call.Result)).Observe(call.Took.Seconds())
	m.partners.mu.Lock()
	defer m.partners.mu.Unlock()
	seen := m.partners.of(integration)
	seen.calls[call.Result]++
	seen.seconds += call.Took.Seconds()
}

// partners counts by integration. What is not in use any more is forgotten.
type partners struct {
	callsTotal, secondsTotal, lastSync, degraded, failures *prometheus.Desc

	mu   sync.Mutex
	seen map[uuid.UUID]*partnerSeen
	live map[uuid.UUID]Integration // nil: nobody has said yet
}

type partnerSeen struct {
	calls   map[partner.Result]uint64
	seconds float64
	syncs   map[string]time.Time // the last of each result
}

func newPartners() *partners {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"integration"}, labels...), nil)
	}
	return &partners{
		callsTotal:   describe("marketplace_partner_calls_total", "Calls to a partner, by what came of them.", "outcome"),
		secondsTotal: describe("marketplace_partner_call_seconds_total", "How long the calls to a partner took in all."),
		lastSync:     describe("marketplace_integration_sync_timestamp_seconds", "When a pull of the catalog last ended so, as this replica knows.", "result"),
		degraded:     describe("marketplace_integration_degraded", "1 while the partner is DEGRADED."),
		failures:     describe("marketplace_integration_failures_total", "Calls to the partner that failed, of all replicas."),
		seen:         map[uuid.UUID]*partnerSeen{},
	}
}

func (p *partners) of(id uuid.UUID) *partnerSeen {
	found := p.seen[id]
	if found == nil {
		found = &partnerSeen{calls: map[partner.Result]uint64{}, syncs: map[string]time.Time{}}
		p.seen[id] = found
	}
	return found
}

func (p *partners) synced(id uuid.UUID, result string, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of(id).syncs[result] = at
}

// know says which integrations are live, and forgets the others.
func (p *partners) know(live []Integration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live = make(map[uuid.UUID]Integration, len(live))
	for _, i := range live {
		p.live[i.ID] = i
		// What was stored before this replica began, or by another one.
		if seen := p.of(i.ID); seen.syncs[Stored].Before(i.LastSyncAt) {
			seen.syncs[Stored] = i.LastSyncAt
		}
	}
	for id := range p.seen {
		if _, ok := p.live[id]; !ok {
			delete(p.seen, id)
		}
	}
}

func (p *partners) describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{p.callsTotal, p.secondsTotal, p.lastSync, p.degraded, p.failures} {
		to <- d
	}
}

func (p *partners) collect(to chan<- prometheus.Metric) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, seen := range p.seen {
		name := id.String()
		for outcome, n := range seen.calls {
			to <- prometheus.MustNewConstMetric(p.callsTotal, prometheus.CounterValue, float64(n), name, string(outcome))
		}
		to <- prometheus.MustNewConstMetric(p.secondsTotal, prometheus.CounterValue, seen.seconds, name)
		for result, at := range seen.syncs {
			to <- prometheus.MustNewConstMetric(p.lastSync, prometheus.GaugeValue, seconds(at), name, result)
		}
	}
	for id, i := range p.live {
		degraded := 0.0
		if i.Degraded {
			degraded = 1
		}
		to <- prometheus.MustNewConstMetric(p.degraded, prometheus.GaugeValue, degraded, id.String())
		to <- prometheus.MustNewConstMetric(p.failures, prometheus.CounterValue, float64(i.Failures), id.String())
	}
}

func seconds(at time.Time) float64 { return float64(at.UnixMilli()) / 1000 }
