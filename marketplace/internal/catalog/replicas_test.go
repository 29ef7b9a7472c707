package catalog_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// replica is a second syncer with its own connections to the same database.
func (b *bench) replica(t *testing.T) *catalog.Syncer {
	t.Helper()
	return catalog.NewSyncer(pgtest.OpenAt(t, b.store.Pool().Config().ConnString()).Catalog, b.client, b.now)
}

func (b *bench) count(t *testing.T, query string) (n int) {
	t.Helper()
	check(t, b.store.Pool().QueryRow(t.Context(), query).Scan(&n))
	return n
}

func TestConcurrentTriggersOnTwoReplicasStoreOneCatalog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replicas := []*catalog.Syncer{b.Syncer, b.replica(t)}
	b.body.Store("[" + product("a") + "," + product("b") + "]")
	var both sync.WaitGroup
	both.Add(2)
	var arrived atomic.Int64
	b.during = func() { // the first pulls overlap
		if arrived.Add(1) <= 2 {
			both.Done()
			both.Wait()
		}
	}
	var all sync.WaitGroup
	for _, replica := range replicas {
		all.Go(func() {
			made, err := replica.Sync(t.Context(), catalog.Order{Target: b.target, Mode: catalog.Full, Cause: catalog.ByPartner})
			if err != nil || made.Synced != 2 {
				t.Errorf("want 2 stored, got %+v and %v", made, err)
			}
		})
	}
	all.Wait()
	b.want(t, "a Walk true [morning true], b Walk true [morning true]")
	if created := b.count(t, `SELECT sum(created) FROM syncs`); created != 2 {
		t.Errorf("want each made once, got %d", created)
	}
}

func TestAFullPullThatOvertakesAnIncrementalOneStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sync(t, catalog.Full, product("a"))
	var asked []string
	b.during = func() {
		b.during = func() {}
		b.sync(t, catalog.Full, product("a"), product("b")) // while the incremental pull is in progress
		b.body.Store("[" + product("a", "Walk", "Stale") + "]")
	}
	recording := catalog.NewSyncer(b.store.Catalog, puller(func() string {
		b.during()
		asked = append(asked, b.body.Load().(string))
		return b.body.Load().(string)
	}), b.now)
	made, err := recording.Sync(t.Context(), catalog.Order{Target: b.target, Mode: catalog.Incremental})
	if err != nil || len(asked) != 2 || made.Deactivated != 0 {
		t.Errorf("want it pulled again, got %d pulls, %+v and %v", len(asked), made, err)
	}
	b.want(t, "a Walk true [morning true], b Walk true [morning true]")
}

func TestASyncThatIsOvertakenAgainAndAgainGivesUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var pulls atomic.Int64
	overtaken := catalog.NewSyncer(b.store.Catalog, puller(func() string {
		b.sync(t, catalog.Full, product(fmt.Sprint("later-", pulls.Add(1))))
		return "[" + product("mine") + "]"
	}), b.now)
	_, err := overtaken.Sync(t.Context(), catalog.Order{Target: b.target, Mode: catalog.Full})
	if err == nil || domain.CodeOf(err) != domain.Conflict || pulls.Load() != 3 {
		t.Errorf("want three tries, got %d and %v", pulls.Load(), err)
	}
	if mine := b.count(t, `SELECT count(*) FROM activities WHERE external_product_id = 'mine'`); mine != 0 {
		t.Error("want older news left out")
	}
}

func TestAnIntegrationThatIsDeletedMeanwhileGetsNothingWritten(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string][]string{"a first pull": nil, "an equal body": {product("a")}, "another body": {product("b")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if stored != nil {
				b.sync(t, catalog.Full, stored...)
			}
			var before string
			b.during = func() {
				if err := b.store.Partners.DeleteIntegration(t.Context(), b.target.ID, b.now()); err != nil {
					t.Error(err)
				}
				before = b.versions(t)
			}
			b.body.Store("[" + product("a") + "]")
			_, err := b.Sync(t.Context(), catalog.Order{Target: b.target, Mode: catalog.Full})
			if name != "an equal body" && domain.CodeOf(err) != domain.NotFound {
				t.Errorf("want it not found, got %v", err)
			}
			if after := b.versions(t); after != before {
				t.Errorf("want nothing written\nbefore %s\nafter  %s", before, after)
			}
		})
	}
}

func TestABodyThatWasReadByOtherRulesIsReadAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sync(t, catalog.Full, product("a"))
	pgtest.Exec(t, b.store, `UPDATE integrations SET catalog_rules = 'older'`)
	if made := b.sync(t, catalog.Full, product("a")); made.Skipped || made.Updated != 0 {
		t.Errorf("want it read, and nothing updated, got %+v", made)
	}
	if made := b.sync(t, catalog.Full, product("a")); !made.Skipped {
		t.Errorf("want it skipped from then on, got %+v", made)
	}
}

// A hostile catalog leaves only rows that the database can store and people can read.
func TestAHostileCatalogLeavesARecord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.sync(t, catalog.Full, product("good"), product("a", "Walk", `\u0000`), product(strings.Repeat("i", 3000)), product("p", `"p"`, `"\u0000\ud800"`),
		product("b", "2250", "1e30"), `{"id":"c\u0000","x\u0000":1e999999}`, product("B"), product("longest", "longest", strings.Repeat("x", 1000)), product("d", "morning", strings.Repeat("y", 1000)))
	if made.Synced != 4 || len(made.SetAside) != 5 {
		t.Errorf("want four stored and five set aside, got %+v", made)
	}
	kept, err := b.store.Catalog.Syncs(t.Context(), b.target.ID, domain.PageRequest{Size: 1})
	if err != nil || len(kept.Entries) != 1 || fmt.Sprint(kept.Entries[0].SetAside) != fmt.Sprint(made.SetAside) {
		t.Errorf("want the record kept, got %+v and %v", kept, err)
	}
}

// register stores another integration of another partner.
func (b *bench) register(t testing.TB, base *url.URL) partner.Target {
	t.Helper()
	target := partner.Target{ID: uuid.New(), BaseURL: base, AuthKey: "k"}
	registerIn(t, b.store, target, b.now())
	return target
}
