package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/benchsize"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
)

// check ends the test on an error.
var check = errtest.Check

func requestWithKey(key string) *http.Request {
	return &http.Request{Header: http.Header{"Authorization": {"Bearer " + key}}}
}

func TestASandboxIsFoundByItsKey(t *testing.T) {
	t.Parallel()
	r := registry(t, 0)
	create(t, r, Spec{Name: "keyless"})
	mine := create(t, r, Spec{Name: "mine", AuthKey: "my-very-own-key"})
	clone, err := r.Clone(mine, "clone", "the-clones-own-key")
	check(t, err)
	for key, want := range map[string]string{"my-very-own-key": "mine", "the-clones-own-key": "clone", "the-mocks-own-key": Default, "another": Default} {
		if got := r.SandboxFor(requestWithKey(key)).Name(); got != want {
			t.Errorf("%s: want %s, got %s", key, want, got)
		}
	}
	if !mine.Credential().IsPresented(requestWithKey("my-very-own-key")) || mine.Credential().IsPresented(requestWithKey("the-mocks-own-key")) || clone.Credential().IsPresented(requestWithKey("my-very-own-key")) {
		t.Error("want a sandbox with a key of its own to take that key alone")
	}
	for _, taken := range []string{"my-very-own-key", "the-mocks-own-key"} {
		if _, err := r.Create(Spec{Name: "other", AuthKey: taken}); !errors.Is(err, ErrKey) || strings.Contains(err.Error(), taken) {
			t.Errorf("want ErrKey without the key, got %v", err)
		}
	}
	if _, err := r.Create(Spec{Name: "other", AuthKey: " spaces "}); err == nil {
		t.Error("want a key refused that no header can carry")
	}
	check(t, r.Delete("mine"))
	if got := r.SandboxFor(requestWithKey("my-very-own-key")).Name(); got != Default {
		t.Errorf("want the key forgotten, got %s", got)
	}
	create(t, r, Spec{Name: "again", AuthKey: "my-very-own-key"})
}

func TestASandboxesOwnKeyNeverEntersItsJournal(t *testing.T) {
	t.Parallel()
	mine := create(t, registry(t, 0), Spec{Name: "mine", AuthKey: "my-very-own-key"})
	mine.Journal().Begin(client.Exchange{Target: "/?key=my-very-own-key&other=the-mocks-own-key"})
	if got := mine.Journal().Exchanges(client.Filter{})[0].Target; got != "/?key=[redacted]&other=[redacted]" {
		t.Fatalf("want no key, got %s", got)
	}
}

func TestIdleSandboxesAreDeleted(t *testing.T) {
	t.Parallel()
	clock := clock.NewFrozen(noon)
	r := registryAt(t, 4, clock)
	create(t, r, Spec{Name: "idle", AuthKey: "the-idle-ones-key"})
	busy := create(t, r, Spec{Name: "busy"})
	create(t, r, Spec{Name: "called"})
	r.Enter(busy)
	clock.Advance(DefaultIdleFor)
	if _, ok := r.Sandbox("called"); !ok {
		t.Fatal("want a sandbox that was uncalled for just the time")
	}
	clock.Advance(time.Second)
	if got := r.SandboxFor(requestWithKey("the-idle-ones-key")).Name(); got != Default {
		t.Fatalf("want the idle sandbox gone, got %s", got)
	}
	if names(r) != "busy called default" {
		t.Fatalf("want the idle one gone, got %q", names(r))
	}
	clock.Advance(DefaultIdleFor)
	r.Leave(busy) // a call that took long is no idleness
	create(t, r, Spec{Name: "called"})
	clock.Advance(DefaultIdleFor + time.Second)
	for _, name := range []string{"one", "two", "three"} {
		create(t, r, Spec{Name: name}) // there is room again
	}
}

func TestSandboxesMayBeMadeToStay(t *testing.T) {
	t.Parallel()
	clock := clock.NewFrozen(noon)
	r := registryAt(t, 0, clock)
	r.config.IdleFor = -1
	create(t, r, Spec{Name: "stays"})
	clock.Advance(1000 * time.Hour)
	if names(r) != "default stays" {
		t.Fatalf("want it to stay, got %q", names(r))
	}
}

// BenchmarkCreate measures how long it takes to make a sandbox among many.
func BenchmarkCreate(b *testing.B) {
	r := registry(b, 1<<30)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		create(b, r, Spec{Name: fmt.Sprintf("box-%d", i)})
	}
}

// BenchmarkIdleMemory measures what a sandbox takes that has been used a little
// and left: in it are a hold, and a journal with an exchange.
func BenchmarkIdleMemory(b *testing.B) {
	boxes := benchsize.Choose(2000, 20)
	for b.Loop() {
		r := registry(b, boxes+1)
		before := heap()
		for i := range boxes {
			box := create(b, r, Spec{Name: fmt.Sprintf("box-%d", i)})
			reserve(b, box)
			box.Journal().Begin(client.Exchange{Target: "/products"}).End(http.StatusOK, client.Message{}, false)
		}
		b.ReportMetric(float64(heap()-before)/float64(boxes), "B/sandbox")
		runtime.KeepAlive(r)
	}
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

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

func TestACloneStartsEqualAndThenChangesIndependently(t *testing.T) {
	t.Parallel()
	r := registry(t, 0)
	original := create(t, r, Spec{Name: "original", Seed: new(uint64(9)), Frozen: new(true)})
	reserve(t, original)
	original.Clock().Advance(5 * time.Minute)
	original.Journal().Begin(client.Exchange{Target: "/original"})
	clone, err := r.Clone(original, "clone", "")
	check(t, err)
	hasHolds(t, clone, 1)
	if clone.Platform().Seed() != 9 || !clone.Clock().Now().Equal(noon.Add(5*time.Minute)) || !clone.Clock().IsFrozen() || clone.Journal().Count().Arrived != 0 {
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

func TestASnapshotIsRestored(t *testing.T) {
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
		check(t, box.Restore("one-hold"))
		hasHolds(t, box, 1)
		if state := box.Platform().Holds()[0].State; state != "HELD" || !box.Clock().Now().Equal(noon) || !box.Clock().IsFrozen() {
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
	check(t, box.Forget("s-01"))
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
	check(t, err)
	for want, box := range map[int]*Sandbox{0: box, 1: clone} {
		reserve(t, box)
		box.Clock().Advance(time.Minute)
		box.Journal().Begin(client.Exchange{Target: "/"})
		box.Reset()
		hasHolds(t, box, want)
		if !box.Clock().Now().Equal(noon) || box.Journal().Count().Kept != 0 {
			t.Fatalf("%s: want noon and an empty journal, got %s, %+v", box.Name(), box.Clock().Now(), box.Journal().Count())
		}
	}
}
