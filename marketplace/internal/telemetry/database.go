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

// Database adds what is in the database, and how its pools of connections fare, by
// their names.
func (m *Metrics) Database(read func(context.Context) (State, error), now func() time.Time, pools map[string]*pgxpool.Pool) {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	m.registry.MustRegister(&database{
		read: read, now: now, pools: pools, partners: m.partners,
		up:          describe("marketplace_database_up", "1 while the database answers."),
		connections: describe("marketplace_database_connections", "Connections of a pool, by what they are.", "pool", "state"),
		most:        describe("marketplace_database_connections_max", "The most connections that a pool may have.", "pool"),
		acquires:    describe("marketplace_database_acquires_total", "How often a connection was taken from the pool.", "pool"),
		waits:       describe("marketplace_database_acquire_waits_total", "How often none was free, and somebody had to wait.", "pool"),
		waited:      describe("marketplace_database_acquire_wait_seconds_total", "How long they have waited for one.", "pool"),
		canceled:    describe("marketplace_database_acquires_canceled_total", "How often somebody gave up waiting.", "pool"),
		jobs:        describe("marketplace_jobs", "Jobs in the queue that are not done.", "kind", "state"),
		attention:   describe("marketplace_bookings_attention", "Bookings that need an operator, by why.", "reason"),
		age:         describe("marketplace_jobs_oldest_seconds", "For how long the job that waits the longest has been due.", "kind", "state"),
	})
}

// database collects what is read when the metrics are asked for.
type database struct {
	read     func(context.Context) (State, error)
	now      func() time.Time
	pools    map[string]*pgxpool.Pool
	partners *partners

	up, connections, most, acquires, waits, waited, canceled, jobs, age, attention *prometheus.Desc
}

// Describe is Prometheus'.
func (d *database) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{d.up, d.connections, d.most, d.acquires, d.waits, d.waited, d.canceled, d.jobs, d.age, d.attention} {
		to <- desc
	}
	d.partners.describe(to)
}

// Collect is Prometheus'.
func (d *database) Collect(to chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	count := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, value, labels...)
	}
	for name, pool := range d.pools {
		s := pool.Stat()
		gauge(d.connections, float64(s.AcquiredConns()), name, "acquired")
		gauge(d.connections, float64(s.IdleConns()), name, "idle")
		gauge(d.connections, float64(s.ConstructingConns()), name, "opening")
		gauge(d.most, float64(s.MaxConns()), name)
		count(d.acquires, float64(s.AcquireCount()), name)
		count(d.waits, float64(s.EmptyAcquireCount()), name)
		count(d.waited, s.EmptyAcquireWaitTime().Seconds(), name)
		count(d.canceled, float64(s.CanceledAcquireCount()), name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	state, err := d.read(ctx)
	if err == nil {
		gauge(d.up, 1)
		d.partners.know(state.Integrations)
	} else {
		gauge(d.up, 0)
	}
	d.partners.collect(to)
	now := d.now()
	for _, j := range state.Jobs {
		gauge(d.jobs, float64(j.Count), j.Kind, j.State)
		gauge(d.age, max(0, now.Sub(j.DueAt).Seconds()), j.Kind, j.State)
	}
	if err != nil {
		return
	}
	for _, reason := range marketplace.AttentionReasons() {
		gauge(d.attention, float64(state.Attention[reason]), string(reason))
	}
}
