package telemetry

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/partner"
)

// The results of a pull.
const (
	stored  = "stored"
	skipped = "skipped" // the catalog had not changed
	guarded = "guarded" // stored, except what the guard holds
	failed  = "failed"
)

var (
	partnerCalls   = describe("marketplace_partner_calls_total", "Calls to a partner, by outcome.", "integration", "outcome")
	partnerSeconds = describe("marketplace_partner_call_seconds_total", "Total duration of the calls to a partner.", "integration")
	lastSync       = describe("marketplace_integration_sync_timestamp_seconds", "When a sync last ended with this result, as known to this replica.", "integration", "result")
	integrationIs  = describe("marketplace_integration_info", "Always 1, with the integration's mode: live or test.", "integration", "mode")
	degraded       = describe("marketplace_integration_degraded", "1 while the partner is DEGRADED.", "integration")
	withheld       = describe("marketplace_integration_withheld", "1 while activities are not listed because a required certificate or approval is missing.", "integration")
	certificate    = describe("marketplace_integration_certificate_ended", "1 while the last certificate is no longer valid, by reason: breach, expired or settings_changed.", "integration", "reason")
	goLive         = describe("marketplace_integration_go_live_requested", "1 while the partner waits for the approval to go live.", "integration")
	breachSince    = describe("marketplace_integration_breach_since_timestamp_seconds", "Since when the partner breaks a rule of the contract, for rules that were broken in the last day.", "integration", "rule", "clause", "level")
	failures       = describe("marketplace_integration_failures_total", "Failed calls to the partner, of all replicas.", "integration")
)

// partners counts by integration. Deleted integrations are dropped.
type partners struct {
	mu   sync.Mutex
	seen map[uuid.UUID]*partnerSeen
	live map[uuid.UUID]Integration // nil: unknown
}

type partnerSeen struct {
	calls   map[partner.Result]uint64
	seconds float64
	syncs   map[string]time.Time // the last time of each result
}

func (p *partners) entryOf(id uuid.UUID) *partnerSeen {
	found := p.seen[id]
	if found == nil {
		found = &partnerSeen{calls: map[partner.Result]uint64{}, syncs: map[string]time.Time{}}
		p.seen[id] = found
	}
	return found
}

func (p *partners) countCall(id uuid.UUID, call partner.Observation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.entryOf(id)
	seen.calls[call.Result]++
	seen.seconds += call.Took.Seconds()
}

func (p *partners) recordSync(id uuid.UUID, result string, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entryOf(id).syncs[result] = at
}

// know replaces the live integrations and drops all others.
func (p *partners) know(live []Integration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live = make(map[uuid.UUID]Integration, len(live))
	for _, i := range live {
		p.live[i.ID] = i
		// It may have been stored before this replica started, or by another one.
		if seen := p.entryOf(i.ID); seen.syncs[stored].Before(i.LastSyncAt) {
			seen.syncs[stored] = i.LastSyncAt
		}
	}
	for id := range p.seen {
		if _, ok := p.live[id]; !ok {
			delete(p.seen, id)
		}
	}
}

func (p *partners) collect(to series) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, seen := range p.seen {
		name := id.String()
		for outcome, n := range seen.calls {
			to.count(partnerCalls, float64(n), name, string(outcome))
		}
		to.count(partnerSeconds, seen.seconds, name)
		for result, at := range seen.syncs {
			to.gauge(lastSync, float64(at.UnixMilli())/1000, name, result)
		}
	}
	for id, i := range p.live {
		to.gauge(integrationIs, 1, id.String(), string(i.Mode))
		to.gauge(degraded, oneIf(i.Degraded), id.String())
		to.gauge(withheld, oneIf(i.Withheld), id.String())
		if i.CertificateEnded != "" {
			to.gauge(certificate, 1, id.String(), i.CertificateEnded)
		}
		if i.GoLiveRequested {
			to.gauge(goLive, 1, id.String())
		}
		to.count(failures, float64(i.Failures), id.String())
	}
}

func oneIf(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
