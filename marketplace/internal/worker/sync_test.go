package worker_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/waittest"
)

// waits returns the seconds until the only waiting job of a kind is due.
func (b *bench) waits(t testing.TB, kind string) int {
	t.Helper()
	return b.count(t, `SELECT extract(epoch FROM scheduled_at - $1)::int FROM river_job WHERE kind = $2 AND state = 'scheduled'`, b.clock.Now(), kind)
}

func TestASyncThatThePartnerFailsIsTriedAgainAndGivenUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.partner(t, 1)
	p.status = http.StatusServiceUnavailable
	b.replica(t)
	b.ask(t, catalog.ByNotify, p)
	for try, pause := range []int{60, 300, 900, 0} {
		waittest.Until(t, "a try", func() bool { pulls, _, _, _ := p.counts(); return pulls == try+1 })
		b.waitIdle(t)
		if pause == 0 {
			break
		}
		if got := b.waits(t, job.Sync{}.Kind()); got != pause {
			t.Errorf("want try %d after %d s, got %d s", try+2, pause, got)
		}
		b.ask(t, catalog.ByNotify, p) // does not change the schedule
		if got := b.waits(t, job.Sync{}.Kind()); got != pause {
			t.Errorf("want a notification to hasten nothing, got %d s", got)
		}
		b.ask(t, catalog.ByOperator, p) // does not wait
	}
	if jobs, requests := b.count(t, `SELECT count(*) FROM river_job WHERE kind = $1 AND state <> 'completed'`, job.Sync{}.Kind()), b.count(t, `SELECT count(*) FROM sync_wishes`); jobs != 0 || requests != 0 {
		t.Errorf("want it given up, got %d jobs and %d requests", jobs, requests)
	}
	p.set(func(p *platform) { p.status = 0 })
	b.ask(t, catalog.ByNotify, p)
	waittest.Until(t, "the next request fulfilled", func() bool { _, _, options, _ := p.counts(); return options == 1 })
}

func TestTheNightsSlotsArePulledThoughTheCatalogCannotBe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.partner(t, 2)
	b.replica(t)
	b.ask(t, catalog.ByOperator, p)
	waittest.Until(t, "the slots", func() bool { _, _, _, slots := p.counts(); return slots == 2 })
	b.waitIdle(t)
	b.clock.Advance(catalog.SkippedPause + time.Second)
	p.set(func(p *platform) { p.catalog = "no catalog" })
	b.ask(t, catalog.BySchedule, p)
	waittest.Until(t, "the slots again", func() bool { _, _, _, slots := p.counts(); return slots == 4 })
}

func TestNoRequestIsLostBetweenTwoSyncs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.partner(t, 1)
	b.replica(t)
	b.replica(t)
	for range 25 {
		var asking sync.WaitGroup
		for range 4 {
			asking.Go(func() { b.ask(t, catalog.ByNotify, p) })
		}
		asking.Wait()
		before, _, _, _ := p.counts()
		b.ask(t, catalog.ByNotify, p)
		waittest.Until(t, "a pull after the request", func() bool {
			after, _, _, _ := p.counts()
			return after > before
		})
	}
	waittest.Until(t, "every request fulfilled", func() bool { return b.count(t, `SELECT count(*) FROM sync_wishes`) == 0 })
	b.waitIdle(t)
	if failed := b.count(t, `SELECT count(*) FROM river_job WHERE errors IS NOT NULL`); failed != 0 {
		t.Errorf("want no job failed, got %d", failed)
	}
}

func TestADeletedPartnersJobsEndWithoutHarm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.partner(t, 1)
	b.ask(t, catalog.ByOperator, p)
	check(t, b.store.Catalog.AskForSlots(t.Context(), p.id, b.clock.Now(), true))
	check(t, b.integrations.Delete(t.Context(), b.account, p.id))
	b.replica(t)
	b.waitIdle(t)
	if done := b.count(t, `SELECT count(*) FROM river_job WHERE state = 'completed' AND errors IS NULL`); done != 2 {
		t.Errorf("want both done, got %d", done)
	}
	if pulls, probes, options, _ := p.counts(); pulls+probes+options != 0 {
		t.Errorf("want no calls, got %d, %d and %d calls", pulls, probes, options)
	}
	b.ask(t, catalog.ByOperator, p)
	if requests := b.count(t, `SELECT count(*) FROM sync_wishes`); requests != 0 {
		t.Errorf("want nothing asked for of it any more, got %d requests", requests)
	}
}

func TestOldHistoryIsCleanedUpAndWhatIsNeededStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.partner(t, 1)
	pgtest.Exec(t, b.store, `
		INSERT INTO syncs (id, integration_id, mode, cause, started_at, finished_at, synced, created, updated, deactivated, set_aside)
		SELECT gen_random_uuid(), $1, CASE n WHEN 1 THEN 'full' ELSE 'incremental' END, 'schedule', $2::timestamptz + n * interval '1 s', $2, n, 0, 0, 0, '[]' FROM generate_series(1, 250) n`,
		p.id, b.clock.Now())
	pgtest.Exec(t, b.store, `
		INSERT INTO integration_health_changes (integration_id, at, state, reason) SELECT $1, $2::timestamptz + n * interval '1 s', 'DEGRADED', 'timeout' FROM generate_series(1, 250) n`, p.id, b.clock.Now())
	guests := b.bookedWithGuests(t, p, 390, 399, 401, 800)
	b.schedule.EraseAfter = 400 * 24 * time.Hour
	b.replica(t)
	check(t, b.store.InsertJobs(t.Context(), job.CleanUp{Scheduled: job.Scheduled{Due: b.clock.Now()}}))
	waittest.Until(t, "the history shorter", func() bool {
		return b.count(t, `SELECT count(*) FROM syncs`) == 201 && b.count(t, `SELECT count(*) FROM integration_health_changes`) == 200
	})
	waittest.Until(t, "guests erased whose slots ended more than 400 days ago", func() bool { return fmt.Sprint(guests()) == "[390 399]" })
	if position, err := b.store.Catalog.Position(t.Context(), p.id); err != nil || position.Synced != 1 {
		t.Errorf("want the last full sync kept, got %+v and %v", position, err)
	}
	if oldest := b.count(t, `SELECT min(synced) FROM syncs WHERE mode = 'incremental'`); oldest != 51 {
		t.Errorf("want the last 200 kept, got from %d on", oldest)
	}
	_, err := b.integrations.Find(t.Context(), b.account, p.id)
	if domain.CodeOf(err) == domain.NotFound {
		t.Error("want the integration untouched")
	}
}

// bookedWithGuests stores bookings of an activity of the partner: one for each given number of days
// since its slot's end. guests returns the bookings that still have a guest.
func (b *bench) bookedWithGuests(t *testing.T, p *platform, days ...int) (guests func() []int) {
	t.Helper()
	pgtest.Exec(t, b.store, `INSERT INTO activities SELECT $1, $1, 'p', $2, 'Walk', '{}', sha256('x'), true, true, '{}'`, p.id, b.clock.Now())
	pgtest.Exec(t, b.store, `INSERT INTO variations SELECT $1, $1, 'o', 1, 'Walk', '{}', sha256('x'), true, '{}'`, p.id)
	pgtest.Exec(t, b.store, `
		INSERT INTO bookings (id, version, account_id, integration_id, activity_id, variation_id, product_id, option_id, availability_id, zone, starts_at, ends_at, status, guests,
			currency, total, contact, reseller_reference, code, confirm_tries, release_tries, cancel_tries, cancel_reason, created_at, release, reason)
		SELECT gen_random_uuid(), 1, $1, $2, $2, $2, 'p', 'o', 's', 'UTC', ends - interval '1 hour', ends, 'RELEASED', '[]', 'EUR', 10, '{"fullName":"Ana Sousa"}', day, 'H-' || day, 0, 0, 0, '', ends, 'done', 'expired'
		FROM unnest($4::int[]) day, LATERAL (SELECT $3::timestamptz - day * interval '1 day' AS ends) e`, b.account, p.id, b.clock.Now(), days)
	return func() []int {
		rows, err := b.store.Pool().Query(t.Context(), `SELECT reseller_reference::int FROM bookings WHERE contact <> '{}' ORDER BY 1`)
		check(t, err)
		left, err := pgx.CollectRows(rows, pgx.RowTo[int])
		check(t, err)
		return left
	}
}
