package telemetry

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
)

// Integration is a live integration's state.
type Integration struct {
	ID         uuid.UUID
	Mode       domain.Mode
	Degraded   bool
	Failures   int64
	LastSyncAt time.Time // zero before the first sync
	Withheld   bool      // not listed, because a required certificate or approval is missing
	// CertificateEnded is why the last certificate ended (a conformance.EndReason); "": it is
	// valid, or there was none.
	CertificateEnded string
	GoLiveRequested  bool // the partner waits for an approval
}

// Breach is a rule that a live integration's partner broke.
type Breach struct {
	Integration         uuid.UUID
	Rule, Clause, Level string
	Since               time.Time
}

// Jobs are the jobs of one kind and state in the queue.
type Jobs struct {
	Kind, State string
	Count       int64
	DueAt       time.Time // of the job that has been due longest
}

// Deliveries are the deliveries of events in one state.
type Deliveries struct {
	State  string // pending, failed
	Count  int64
	OwedAt time.Time // of the oldest
}

// Attention is the number of bookings of one mode with one attention reason.
type Attention struct {
	Reason domain.AttentionReason
	Mode   domain.Mode
	Count  int64
}

// Holds is the number of bookings of one mode that wait for payment.
type Holds struct {
	Mode  domain.Mode
	Count int64
}

// State is the part of the metrics that is read from the database.
type State struct {
	Integrations []Integration
	Breaches     []Breach
	Jobs         []Jobs
	Deliveries   []Deliveries
	Attention    []Attention
	Holds        []Holds
	RatesMissing []client.MissingRate
	Rates        domain.RateTable
	Night        *client.Night // nil: there was none
}

// readTime limits the reading of the database.
const readTime = 2 * time.Second

// database collects metrics from the database. Describe names no metrics, so they are checked when
// they are collected.
type database struct {
	read     func(context.Context, time.Time) (State, error)
	now      func() time.Time
	pools    map[string]*pgxpool.Pool
	partners *partners
}

// Describe implements prometheus.Collector.
func (d *database) Describe(chan<- *prometheus.Desc) {}

var (
	databaseUp      = describe("marketplace_database_up", "1 while the database answers.")
	connections     = describe("marketplace_database_connections", "Connections of a pool, by state.", "pool", "state")
	mostConnections = describe("marketplace_database_connections_max", "Maximum number of connections of a pool.", "pool")
	acquires        = describe("marketplace_database_acquires_total", "Connections taken from the pool.", "pool")
	acquireWaits    = describe("marketplace_database_acquire_waits_total", "Acquires that had to wait because no connection was free.", "pool")
	acquireWaited   = describe("marketplace_database_acquire_wait_seconds_total", "Total time spent waiting for a connection.", "pool")
	canceled        = describe("marketplace_database_acquires_canceled_total", "Acquires that were cancelled while waiting.", "pool")
	jobs            = describe("marketplace_jobs", "Unfinished jobs in the queue.", "kind", "state")
	oldestJob       = describe("marketplace_jobs_oldest_seconds", "How long the oldest waiting job has been due.", "kind", "state")
	deliveries      = describe("marketplace_event_deliveries", "Deliveries of events to resellers that are pending, or were given up.", "state")
	oldestDelivery  = describe("marketplace_event_deliveries_oldest_seconds", "How long the oldest pending delivery has been due.")
	rateMissing     = describe("marketplace_exchange_rate_missing", "Listed activities with prices in a currency that has no exchange rate to the base.", "currency", "base")
	ratesAge        = describe("marketplace_exchange_rates_age_seconds", "How long ago the day of the newest imported exchange rates began.")
	rateAge         = describe("marketplace_exchange_rate_age_seconds", "How long ago the day of a currency's exchange rate began.", "currency")
	nightPartners   = describe("marketplace_night_partners", "Partners of the last night: done, failed, or still pulled.", "state")
	nightBegan      = describe("marketplace_night_begin_timestamp_seconds", "When the last nightly syncs began.")
	nightEnds       = describe("marketplace_night_end_timestamp_seconds", "When the last nightly syncs ended, or are expected to end.")
	holds           = describe("marketplace_holds", "Bookings that wait for their payment.", "mode")
	attention       = describe("marketplace_bookings_attention", "Bookings that need attention, by reason.", "reason", "mode")
)

// Collect implements prometheus.Collector.
func (d *database) Collect(metrics chan<- prometheus.Metric) {
	to := series(metrics)
	for name, pool := range d.pools {
		s := pool.Stat()
		to.gauge(connections, float64(s.AcquiredConns()), name, "acquired")
		to.gauge(connections, float64(s.IdleConns()), name, "idle")
		to.gauge(connections, float64(s.ConstructingConns()), name, "opening")
		to.gauge(mostConnections, float64(s.MaxConns()), name)
		to.count(acquires, float64(s.AcquireCount()), name)
		to.count(acquireWaits, float64(s.EmptyAcquireCount()), name)
		to.count(acquireWaited, s.EmptyAcquireWaitTime().Seconds(), name)
		to.count(canceled, float64(s.CanceledAcquireCount()), name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	now := d.now()
	state, err := d.read(ctx, now)
	if err != nil {
		to.gauge(databaseUp, 0)
		d.partners.collect(to)
		return
	}
	to.gauge(databaseUp, 1)
	d.partners.know(state.Integrations)
	d.partners.collect(to)
	for _, b := range state.Breaches {
		to.gauge(breachSince, float64(b.Since.UnixMilli())/1000, b.Integration.String(), b.Rule, b.Clause, b.Level)
	}
	for _, j := range state.Jobs {
		to.gauge(jobs, float64(j.Count), j.Kind, j.State)
		to.gauge(oldestJob, max(0, now.Sub(j.DueAt).Seconds()), j.Kind, j.State)
	}
	counted, oldest := map[string]int64{"pending": 0, "failed": 0}, time.Duration(0)
	for _, d := range state.Deliveries {
		if counted[d.State] = d.Count; d.State == "pending" {
			oldest = max(0, now.Sub(d.OwedAt))
		}
	}
	for name, count := range counted {
		to.gauge(deliveries, float64(count), name)
	}
	to.gauge(oldestDelivery, oldest.Seconds())
	counts := map[Attention]int64{}
	for _, a := range state.Attention {
		counts[Attention{Reason: a.Reason, Mode: a.Mode}] = a.Count
	}
	for _, reason := range domain.AttentionReasons() {
		for _, mode := range []domain.Mode{domain.Live, domain.Test} {
			to.gauge(attention, float64(counts[Attention{Reason: reason, Mode: mode}]), string(reason), string(mode))
		}
	}
	held := map[domain.Mode]int64{domain.Live: 0, domain.Test: 0}
	for _, h := range state.Holds {
		held[h.Mode] = h.Count
	}
	for mode, count := range held {
		to.gauge(holds, float64(count), string(mode))
	}
	if !state.Rates.Of.IsZero() {
		to.gauge(ratesAge, max(0, now.Sub(state.Rates.Of).Seconds()))
	}
	for currency, rate := range state.Rates.Per {
		to.gauge(rateAge, max(0, now.Sub(rate.Of).Seconds()), string(currency))
	}
	if n := state.Night; n != nil {
		ends := n.EndedAt
		if n.Last != nil {
			ends = n.Last.At
		} else if ends.IsZero() {
			ends = now
		}
		to.gauge(nightBegan, float64(n.BeganAt.Unix()))
		to.gauge(nightEnds, float64(ends.Unix()))
		for state, count := range map[string]int{"done": n.Done, "failed": n.Failed, "pulled": n.Partners - n.Done - n.Failed} {
			to.gauge(nightPartners, float64(count), state)
		}
	}
	for _, missing := range state.RatesMissing {
		to.gauge(rateMissing, float64(missing.Activities), missing.Currency, missing.Base)
	}
}
