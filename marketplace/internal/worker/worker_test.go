package worker_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/job"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/marketplace/internal/worker"
)

func TestTheSlotsFollowACatalogThatIsTheSameAsWellButNotTwiceInFiveMinutes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.partner(t, 2)
	r := b.replica(t)
	sync := func(skipped bool) {
		t.Helper()
		found, err := b.integrations.Find(t.Context(), b.account, p.id)
		check(t, err)
		target, err := b.integrations.Target(found)
		check(t, err)
		if made, err := r.syncer.Sync(t.Context(), catalog.Order{Target: target, Mode: catalog.Full, Cause: catalog.ByPartner}); err != nil || made.Skipped != skipped {
			t.Fatalf("want a sync, skipped %t, got %+v and %v", skipped, made, err)
		}
	}
	pulled := func(want int) {
		t.Helper()
		waittest.Until(t, "slots pulled", func() bool { _, _, _, slots := p.counts(); return slots >= want })
		b.waitIdle(t)
		if _, _, _, slots := p.counts(); slots != want {
			t.Errorf("want %d pulls, got %d", want, slots)
		}
	}
	sync(false)
	pulled(2)
	b.clock.Advance(catalog.SkippedPause + time.Second)
	sync(true)
	sync(true) // before or after the start of the job
	pulled(4)
	sync(true)
	sync(true)
	due := b.count(t, `SELECT extract(epoch FROM scheduled_at - $1)::int FROM river_job WHERE kind = 'slots_pull' AND scheduled_at > $1`, b.clock.Now())
	if want := int(catalog.SkippedPause / time.Second); due != want {
		t.Errorf("want the second request due in %d s, got %d s", want, due)
	}
}

func TestOneOfTwoReplicasRunsAJob(t *testing.T) {
	t.Parallel()
	b := setupAt(t, time.Now().AddDate(0, 0, -30)) // so that due jobs are also due for the job queue, which uses the real time
	b.schedule = worker.Schedule{NightlyAt: 2*time.Hour + 30*time.Minute, NightlyWithin: time.Hour, Probes: 6 * time.Hour, Incremental: 8 * time.Hour, Sweeps: 4 * time.Hour}
	swept, rates := &deliveries{}, &feed{}
	b.bookings, b.rates = swept, rates
	p := b.partner(t, 1)
	b.replica(t)
	b.replica(t)
	if jobs := b.count(t, `SELECT count(*) FROM river_job`); jobs != 0 {
		t.Errorf("want nothing due because of the start, got %d jobs", jobs)
	}
	const days = 3
	for range days * 24 {
		before := b.count(t, ticks)
		b.clock.Advance(time.Hour)
		// Each hour has a cleanup. Once it is seen, the hour's other ticks are inserted, too.
		waittest.Until(t, "the hour's tick", func() bool { return b.count(t, ticks) > before })
		b.waitIdle(t)
	}
	for kind, a := range map[string]int{"nightly": 1, "health_probes": 4, "incremental": 3, "booking_sweep": 6, "exchange_rates": 1, "clean_up": 24} {
		want := days * a
		runs := b.count(t, `SELECT count(*) FROM river_job WHERE kind = $1 AND state = 'completed' AND attempt = 1`, kind)
		periods := b.count(t, `SELECT count(DISTINCT date_bin($2::int * interval '1 hour', (args->>'due')::timestamptz, '2020-01-01')) FROM river_job WHERE kind = $1`, kind, 24/a)
		if runs != want || periods != want {
			t.Errorf("want %d of %s, one for each period, got %d for %d", want, kind, runs, periods)
		}
	}
	if pulls, probes, options, slots := p.counts(); probes != days*4 || pulls != days*(1+3) || options != 1 || slots < days {
		t.Errorf("want the partner probed %d times, pulled %d times, and its slots every night, got %d, %d and %d", days*4, days*4, probes, pulls, slots)
	}
	p.set(func(p *platform) {
		if p.full < days || p.full > days+1 { // the first pull is full, whatever its schedule
			t.Errorf("want every night's pull full and no other, got %d of %d in %d nights", p.full, p.pulls, days)
		}
	})
	if nights := b.count(t, `SELECT count(*) FROM nights WHERE partners = 1 AND failed = 0 AND ended_at > due_at`); nights != 1 {
		t.Errorf("Expected the last night stored, with its end, received %d", nights)
	}
	if pulls := rates.pulls.Load(); pulls != days {
		t.Errorf("Expected exchange rates pulled %d times, received %d", days, pulls)
	}
	swept.mu.Lock()
	defer swept.mu.Unlock()
	if len(swept.asked) != days*6 {
		t.Errorf("want %d sweeps, got %d", days*6, len(swept.asked))
	}
}

// feed counts pulls of exchange rates.
type feed struct{ pulls atomic.Int64 }

func (f *feed) Pull(context.Context) error { f.pulls.Add(1); return nil }

const ticks = `SELECT count(*) FROM river_job WHERE kind = 'clean_up'`

func TestWhileASyncRunsAStormOfNotificationsIsOneMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.partner(t, 1)
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	p.before = func(r *http.Request) {
		if r.Method == http.MethodGet {
			asked <- struct{}{}
			<-answer
		}
	}
	b.replica(t)
	b.replica(t)
	b.ask(t, catalog.ByNotify, p)
	<-asked
	var storm sync.WaitGroup
	for range 40 {
		storm.Go(func() {
			if err := b.store.Catalog.AskForSyncs(t.Context(), catalog.SyncRequest{Integration: p.id, Mode: catalog.Full, Cause: catalog.ByNotify}); err != nil {
				t.Error(err)
			}
		})
	}
	storm.Wait()
	if jobs := b.count(t, `SELECT count(*) FROM river_job WHERE kind = $1`, job.Sync{}.Kind()); jobs != 1 {
		t.Errorf("want one job, got %d", jobs)
	}
	close(answer)
	waittest.Until(t, "the other sync", func() bool { pulls, _, _, _ := p.counts(); return pulls == 2 })
	b.waitIdle(t)
	if pulls, _, _, _ := p.counts(); pulls != 2 {
		t.Errorf("want one sync more, got %d in all", pulls)
	}
}

func TestAPartnerThatHangsDelaysNoOtherPartner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.schedule.Probes = time.Minute
	hanging, other := b.partner(t, 20), b.partner(t, 20)
	r := b.replica(t)
	b.ask(t, catalog.ByOperator, hanging)
	waittest.Until(t, "the catalog", func() bool { _, _, options, _ := hanging.counts(); return options == 20 })
	b.waitIdle(t)
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	hanging.set(func(p *platform) { p.before = func(*http.Request) { <-never } })
	// Everything that can hang at the hanging partner runs there. Its slots are last, because they
	// use every worker.
	b.ask(t, catalog.ByOperator, hanging)
	b.clock.Advance(time.Minute)
	waittest.Until(t, "its sync and its probe hanging", func() bool { pulls, probes, _, _ := hanging.counts(); return pulls == 2 && probes == 1 })
	check(t, b.store.Catalog.AskForSlots(t.Context(), hanging.id, b.clock.Now(), true))
	waittest.Until(t, "its slots hanging", func() bool { _, _, _, slots := hanging.counts(); return slots > 20 })
	b.ask(t, catalog.ByOperator, other)
	waittest.Until(t, "the other partner done", func() bool {
		pulls, probes, options, _ := other.counts()
		return pulls == 1 && probes == 1 && options == 20
	})
	if running := b.count(t, `SELECT count(*) FROM river_job WHERE state = 'running' AND kind <> 'health_probe'`); running < 2 {
		t.Errorf("want the hanging partner's jobs still running, got %d", running)
	}
	r.client.Close() // otherwise the hanging calls last until their limit
}

func TestASlowPartnersNextPullsComeAfterThoseOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.jobTime = 2 * time.Second // in which a slice of answers that never come ends
	slow := b.partner(t, 20)
	slow.before = func(r *http.Request) {
		if r.Method == http.MethodPost {
			<-r.Context().Done()
		}
	}
	b.replica(t)
	b.ask(t, catalog.ByOperator, slow)
	waittest.Until(t, "the slow partner known", func() bool {
		return b.count(t, `SELECT count(*) FROM slot_rounds WHERE slow AND integration_id = $1`, slow.id) == 1
	})
	if behind := b.count(t, `SELECT count(*) FROM river_job WHERE kind = 'slots_pull' AND priority = 2 AND state <> 'completed' AND args ->> 'integration_id' = $1`, slow.id.String()); behind != 1 {
		t.Errorf("Expected its next job behind others, received %d of them", behind)
	}
}

func TestAReplicaThatJoinsTakesWhatOthersHaveNoWorkersFor(t *testing.T) {
	t.Parallel()
	const workers, partners = 100, 120
	b := setup(t)
	b.jobTime = 10 * time.Minute
	first := b.replica(t)
	for range partners {
		p := b.partner(t, 1)
		p.before = func(r *http.Request) {
			if r.Method == http.MethodPost {
				<-r.Context().Done()
			}
		}
		found, err := b.integrations.Find(t.Context(), b.account, p.id)
		check(t, err)
		target, err := b.integrations.Target(found)
		check(t, err)
		if _, err := first.syncer.Sync(t.Context(), catalog.Order{Target: target, Mode: catalog.Full, Cause: catalog.ByPartner}); err != nil {
			t.Fatal(err)
		}
	}
	running := func() int {
		return b.count(t, `SELECT count(*) FROM river_job WHERE kind = 'slots_pull' AND state = 'running'`)
	}
	waittest.Until(t, "every worker of the first replica busy", func() bool { return running() == workers })
	second := b.replica(t)
	waittest.Until(t, "the second replica pulling for the others", func() bool { return running() == partners })
	first.client.Close() // otherwise the hanging calls last until their limit
	second.client.Close()
}

func TestARoundOfSlotsGoesOnWhereAReplicaHasLeftIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const options, first = 40, 10
	p := b.partner(t, options)
	enough, never := make(chan struct{}), make(chan struct{})
	answered := 0
	var once sync.Once
	var mu sync.Mutex
	p.before = func(r *http.Request) {
		if r.Method != http.MethodPost {
			return
		}
		mu.Lock()
		answered++
		stop := answered > first
		mu.Unlock()
		if stop {
			once.Do(func() { close(enough) })
			<-never
		}
	}
	leaving := b.replica(t)
	b.ask(t, catalog.ByOperator, p)
	<-enough
	done := func() int { return b.count(t, `SELECT count(*) FROM slot_pulls WHERE sent_at IS NOT NULL`) }
	waittest.Until(t, "the first options stored", func() bool { return done() == first })
	leaving.end(t)
	if available := b.count(t, `SELECT count(*) FROM river_job WHERE kind = $1 AND state = 'available' AND errors IS NULL`, job.Slots{}.Kind()); available != 1 {
		t.Errorf("want the job handed back, got %d", available)
	}
	p.set(func(p *platform) { p.before, p.asked = nil, map[string]int{} })
	close(never)
	b.replica(t)
	waittest.Until(t, "all options stored", func() bool { return done() == options })
	b.waitIdle(t)
	if _, _, rest, slots := p.counts(); rest != options-first || slots != rest {
		t.Errorf("want the %d others pulled once each, got %d, %d times", options-first, rest, slots)
	}
}

func TestRates_AreNotCancelledByAReplicaWithoutAnAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	without := b.replica(t)
	check(t, b.store.InsertJobs(t.Context(), job.Rates{Scheduled: job.Scheduled{Due: b.clock.Now()}}))
	p := b.partner(t, 1)
	check(t, without.store.InsertJobs(t.Context(), job.Probe{Due: b.clock.Now(), Integrations: []uuid.UUID{p.id}}))
	waittest.Until(t, "a later job done by the replica without an address", func() bool { _, probes, _, _ := p.counts(); return probes == 1 })
	pulls := &feed{}
	b.rates = pulls
	b.replica(t)
	waittest.Until(t, "the exchange rates pulled by the replica with an address", func() bool { return pulls.pulls.Load() == 1 })
}
