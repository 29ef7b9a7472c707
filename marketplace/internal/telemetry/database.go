package telemetry

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Integration is what the database tells of a live one.
type Integration struct {
	ID         uuid.UUID
	Degraded   bool
	Failures   int64
	LastSyncAt time.Time // zero: there is none
}

// Jobs are those of one kind and state that are in the queue.
type Jobs struct {
	Kind, State string
	Count       int64
	DueAt       time.Time // of the one that has been due the longest
}

// State is what the database tells when the metrics are asked for.
type State struct {
	Integrations []Integration
	Jobs         []Jobs
	Attention    map[marketplace.AttentionReason]int64 // bookings that need an operator
}

// readTime bounds the look into the database.
const readTime = 2 * time.Second

// database collects what is read when the metrics are asked for. Its metrics are checked
// when they are collected: Describe names none.
type database struct {
	read     func(context.Context) (State, error)
	now      func() time.Time
	pools    map[string]*pgxpool.Pool
	partners *partners
}

// Describe is Prometheus'.
func (d *database) Describe(chan<- *prometheus.Desc) {}

var (
	databaseUp      = describe("marketplace_database_up", "1 while the database answers.")
	connections     = describe("marketplace_database_connections", "Connections of a pool, by what they are.", "pool", "state")
	mostConnections = describe("marketplace_database_connections_max", "The most connections that a pool may have.", "pool")
	acquires        = describe("marketplace_database_acquires_total", "How often a connection was taken from the pool.", "pool")
	acquireWaits    = describe("marketplace_database_acquire_waits_total", "How often none was free, and somebody had to wait.", "pool")
	acquireWaited   = describe("marketplace_database_acquire_wait_seconds_total", "How long they have waited for one.", "pool")
	canceled        = describe("marketplace_database_acquires_canceled_total", "How often somebody gave up waiting.", "pool")
	jobs            = describe("marketplace_jobs", "Jobs in the queue that are not done.", "kind", "state")
	oldestJob       = describe("marketplace_jobs_oldest_seconds", "For how long the job that waits the longest has been due.", "kind", "state")
	attention       = describe("marketplace_bookings_attention", "Bookings that need an operator, by why.", "reason")
)

// Collect is Prometheus'.
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
	state, err := d.read(ctx)
	if err != nil {
		to.gauge(databaseUp, 0)
		d.partners.collect(to)
		return
	}
	to.gauge(databaseUp, 1)
	d.partners.know(state.Integrations)
	d.partners.collect(to)
	now := d.now()
	for _, j := range state.Jobs {
		to.gauge(jobs, float64(j.Count), j.Kind, j.State)
		to.gauge(oldestJob, max(0, now.Sub(j.DueAt).Seconds()), j.Kind, j.State)
	}
	for _, reason := range marketplace.AttentionReasons() {
		to.gauge(attention, float64(state.Attention[reason]), string(reason))
	}
}
