package sandbox

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/journal"
)

func reserve(t testing.TB, box *Sandbox) {
	t.Helper()
	if _, err := box.Platform().Reserve(reserveOf(slotOf(t, box).ID), nil); err != nil {
		t.Fatal(err)
	}
}

func hasHolds(t testing.TB, box *Sandbox, want int) {
	t.Helper()
	if got := len(box.Platform().Holds()); got != want {
		t.Fatalf("%s: want %d holds, got %d", box.Name(), want, got)
	}
}

func TestACloneIsLikeItsOriginalAndThenItsOwn(t *testing.T) {
	t.Parallel()
	r := registry(t, 0)
	original := create(t, r, Spec{Name: "original", Seed: new(uint64(9)), Frozen: new(true)})
	reserve(t, original)
	original.Clock().Advance(5 * time.Minute)
	original.Journal().Begin(journal.Exchange{Target: "/original"})
	clone, err := r.Clone(original, "clone", "")
	if err != nil {
		t.Fatal(err)
	}
	hasHolds(t, clone, 1)
	if clone.Platform().Seed() != 9 || !clone.Clock().Now().Equal(noon.Add(5*time.Minute)) || !clone.Clock().Frozen() || clone.Journal().Count().Arrived != 0 {
		t.Fatalf("want the original's seed and clock and an empty journal, got %d, %+v, %+v", clone.Platform().Seed(), clone.Clock().Read(), clone.Journal().Count())
	}
	clone.Clock().Advance(time.Hour)
	reserve(t, clone)
	hasHolds(t, clone, 2)
	hasHolds(t, original, 1)
	if !original.Clock().Now().Equal(noon.Add(5 * time.Minute)) {
		t.Fatalf("want the original's clock untouched, got %s", original.Clock().Now())
	}
	if _, err := r.Clone(original, "clone", ""); !errors.Is(err, ErrTaken) {
		t.Fatalf("want ErrTaken, got %v", err)
	}
}

func TestASnapshotIsGoneBackTo(t *testing.T) {
	t.Parallel()
	box := create(t, registry(t, 0), Spec{Name: "box", Frozen: new(true)})
	reserve(t, box)
	if saved, err := box.Save("one-hold"); err != nil || !saved.At.Equal(noon) {
		t.Fatalf("want a snapshot of noon, got %+v, %v", saved, err)
	}
	box.Clock().Advance(time.Hour) // the hold expires
	box.Clock().Run()
	reserve(t, box)
	for range 2 {
		if err := box.Restore("one-hold"); err != nil {
			t.Fatal(err)
		}
		hasHolds(t, box, 1)
		if state := box.Platform().Holds()[0].State; state != "HELD" || !box.Clock().Now().Equal(noon) || !box.Clock().Frozen() {
			t.Fatalf("want the hold alive again at noon, got %s at %+v", state, box.Clock().Read())
		}
		reserve(t, box)
	}
	if err := box.Restore("another"); !errors.Is(err, ErrNoSnapshot) {
		t.Fatalf("want ErrNoSnapshot, got %v", err)
	}
}

func TestSnapshotsAreListedReplacedForgottenAndBounded(t *testing.T) {
	t.Parallel()
	box, _ := registry(t, 0).Sandbox(Default)
	for i := range MaxSnapshots {
		if _, err := box.Save(fmt.Sprintf("s-%02d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := box.Save("too-many"); !errors.Is(err, ErrTooManySaved) {
		t.Fatalf("want ErrTooManySaved, got %v", err)
	}
	box.Clock().Advance(time.Hour)
	if _, err := box.Save("s-00"); err != nil {
		t.Fatalf("want a snapshot replaced, got %v", err)
	}
	if err := box.Forget("s-01"); err != nil {
		t.Fatal(err)
	}
	if err := box.Forget("s-01"); !errors.Is(err, ErrNoSnapshot) {
		t.Fatalf("want ErrNoSnapshot, got %v", err)
	}
	list := box.Snapshots()
	if len(list) != MaxSnapshots-1 || list[0].Name != "s-00" || !list[0].At.Equal(noon.Add(time.Hour)) || list[1].Name != "s-02" {
		t.Fatalf("want them by name, the first of 13:00, got %+v", list)
	}
	if _, err := box.Save("no name"); err == nil {
		t.Fatal("want the name refused")
	}
}

func TestAResetSandboxIsAsItWasMade(t *testing.T) {
	t.Parallel()
	r := registry(t, 0)
	box := create(t, r, Spec{Name: "box", Frozen: new(true)})
	reserve(t, box)
	clone, err := r.Clone(box, "clone", "")
	if err != nil {
		t.Fatal(err)
	}
	for want, box := range map[int]*Sandbox{0: box, 1: clone} {
		reserve(t, box)
		box.Clock().Advance(time.Minute)
		box.Journal().Begin(journal.Exchange{Target: "/"})
		box.Reset()
		hasHolds(t, box, want)
		if !box.Clock().Now().Equal(noon) || box.Journal().Count().Kept != 0 {
			t.Fatalf("%s: want noon and an empty journal, got %s, %+v", box.Name(), box.Clock().Now(), box.Journal().Count())
		}
	}
}
