package catalog_test

import (
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// running returns the sync that runs; nil if none does.
func (b *bench) running(t *testing.T) *catalog.RunningSync {
	t.Helper()
	standings, err := b.store.Catalog.Standings(t.Context(), []uuid.UUID{b.target.ID})
	check(t, err)
	return standings[b.target.ID].Running
}

func TestASyncIsSeenWhileItRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var seen *catalog.RunningSync
	b.during = func() { seen = b.running(t) }
	b.sync(t, catalog.Full, product("walk"))
	if seen == nil || seen.Mode != catalog.Full || seen.Cause != catalog.ByPartner {
		t.Errorf("Expected a full sync by the partner while it ran, received %+v", seen)
	}
	if left := b.running(t); left != nil {
		t.Errorf("Expected none after its end, received %+v", left)
	}
}

func TestASyncOfAKilledReplicaEndsByItselfAndIsRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	lost := catalog.RunningSync{ID: uuid.New(), Mode: catalog.Full, Cause: catalog.ByOperator, StartedAt: b.now()}
	check(t, b.store.Catalog.KeepRunning(t.Context(), b.target.ID, lost))
	check(t, b.store.Catalog.RecordLostSyncs(t.Context()))
	if b.running(t) == nil {
		t.Error("Expected a sync that was just seen to run")
	}
	pgtest.Exec(t, b.store, `UPDATE running_syncs SET seen_at = seen_at - interval '21 s'`)
	if left := b.running(t); left != nil {
		t.Errorf("Expected none, received %+v", left)
	}
	check(t, b.store.Catalog.RecordLostSyncs(t.Context()))
	found, err := b.store.Catalog.EverySync(t.Context(), b.target.ID, domain.PageRequest{Size: 10})
	check(t, err)
	if len(found.Entries) != 1 || !found.Entries[0].Failed || found.Entries[0].Reason == nil || *found.Entries[0].Reason != "the service stopped during the sync" {
		t.Errorf("Expected the lost sync as failed, received %+v", found.Entries)
	}
}
