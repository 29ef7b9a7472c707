package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/journal"
)

func presenting(key string) *http.Request {
	return &http.Request{Header: http.Header{"Authorization": {"Bearer " + key}}}
}

func TestASandboxIsFoundByItsKey(t *testing.T) {
	t.Parallel()
	r := registry(t, 0)
	create(t, r, Spec{Name: "keyless"})
	mine := create(t, r, Spec{Name: "mine", AuthKey: "my-very-own-key"})
	clone, err := r.Clone(mine, "clone", "the-clones-own-key")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"my-very-own-key": "mine", "the-clones-own-key": "clone", "the-mocks-own-key": Default, "another": Default} {
		if got := r.Addressed(presenting(key)).Name(); got != want {
			t.Errorf("%s: want %s, got %s", key, want, got)
		}
	}
	if !mine.Credential().Presented(presenting("my-very-own-key")) || mine.Credential().Presented(presenting("the-mocks-own-key")) || clone.Credential().Presented(presenting("my-very-own-key")) {
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
	if err := r.Delete("mine"); err != nil {
		t.Fatal(err)
	}
	if got := r.Addressed(presenting("my-very-own-key")).Name(); got != Default {
		t.Errorf("want the key forgotten, got %s", got)
	}
	create(t, r, Spec{Name: "again", AuthKey: "my-very-own-key"})
}

func TestASandboxesOwnKeyNeverEntersItsJournal(t *testing.T) {
	t.Parallel()
	mine := create(t, registry(t, 0), Spec{Name: "mine", AuthKey: "my-very-own-key"})
	mine.Journal().Begin(journal.Exchange{Target: "/?key=my-very-own-key&other=the-mocks-own-key"})
	if got := mine.Journal().Exchanges(journal.Filter{})[0].Target; got != "/?key=[redacted]&other=[redacted]" {
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
	if got := r.Addressed(presenting("the-idle-ones-key")).Name(); got != Default {
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
	const boxes = 2000
	for b.Loop() {
		r := registry(b, boxes+1)
		before := heap()
		for i := range boxes {
			box := create(b, r, Spec{Name: fmt.Sprintf("box-%d", i)})
			reserve(b, box)
			box.Journal().Begin(journal.Exchange{Target: "/products"}).End(http.StatusOK, journal.Message{}, false)
		}
		b.ReportMetric(float64(heap()-before)/boxes, "B/sandbox")
		runtime.KeepAlive(r)
	}
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
