package script

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/fault"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/platform"
)

func set(t *testing.T, seed uint64, faults ...Fault) *Set {
	t.Helper()
	index, err := catalog.Default().Index()
	if err != nil {
		t.Fatal(err)
	}
	business, err := platform.New(platform.Config{Catalog: index, Clock: clock.System{}, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	s := NewSet(Config{Platform: business, Presents: func(*http.Request) bool { return true }})
	if _, err := s.Arm(faults...); err != nil {
		t.Fatal(err)
	}
	return s
}

func status(code int) fault.Actions { return fault.Actions{Answer: fault.Answer{Status: code}} }

// fires sends n requests of a caller and notes which of them the fault breaks.
func fires(s *Set, caller string, n int) (pattern string) {
	for range n {
		r := httptest.NewRequest("GET", "/products", nil)
		r.Header.Set("User-Agent", caller)
		if firing, _ := s.Fire(r, nil); firing != nil {
			pattern += "x"
		} else {
			pattern += "."
		}
	}
	return pattern
}

func TestAChanceDependsOnSeedFaultKeyAndMatchAlone(t *testing.T) {
	t.Parallel()
	flaky := Fault{Name: "flaky", Key: KeyCaller, Probability: new(0.5), Actions: status(500)}
	one := fires(set(t, 1, flaky), "ana", 64)
	mixed := set(t, 1, flaky)
	var again string
	for range 64 {
		fires(mixed, "bob", 3)
		again += fires(mixed, "ana", 1)
	}
	if one != again {
		t.Errorf("want ana's outcomes whoever else calls, got\n%s\n%s", one, again)
	}
	renamed := flaky
	renamed.Name = "other"
	for what, other := range map[string]string{
		"seed": fires(set(t, 2, flaky), "ana", 64), "key": fires(set(t, 1, flaky), "bob", 64), "name": fires(set(t, 1, renamed), "ana", 64),
	} {
		if other == one {
			t.Errorf("want other outcomes by another %s", what)
		}
	}
}

func TestAProbabilityIsAShare(t *testing.T) {
	t.Parallel()
	s := set(t, 1, Fault{Probability: new(0.2), Actions: status(500)})
	fires(s, "", 5000)
	if fired := s.Faults()[0].Fired; fired < 900 || fired > 1100 {
		t.Errorf("want about 1000 of 5000, got %d", fired)
	}
}

func TestTheKeysThatAreCountedAreBounded(t *testing.T) {
	t.Parallel()
	s := set(t, 1, Fault{Name: "each", Key: KeyCaller, Actions: status(500)})
	s.keys = maxKeys - 1
	if got := fires(s, "one", 1) + fires(s, "two", 1) + fires(s, "one", 1); got != "x.x" {
		t.Errorf("want no room for the second caller, got %s", got)
	}
	if f := s.Faults()[0]; f.Keys != 1 || f.LeftAlone != 1 {
		t.Errorf("want it counted, got %+v", f.Counts)
	}
	if err := s.Disarm("each"); err != nil || s.keys != 0 {
		t.Errorf("want the room back, got %d keys, %v", s.keys, err)
	}
}

func TestARestartCountsAnew(t *testing.T) {
	t.Parallel()
	s := set(t, 1, Fault{Name: "once", Times: 1, Actions: status(500)})
	before := fires(s, "", 3)
	s.Restart()
	if got := before + fires(s, "", 3); got != "x..x.." {
		t.Errorf("want it to fire again, got %s", got)
	}
	if f := s.Faults()[0]; f.Name != "once" || f.Considered != 3 || f.Fired != 1 {
		t.Errorf("want the counters of the second half, got %+v", f)
	}
}

func TestFaultsAreArmedAllOrNone(t *testing.T) {
	t.Parallel()
	s := set(t, 1, Fault{Name: "fault-1", Actions: status(500)})
	if _, err := s.Arm(Fault{Name: "a", Actions: status(500)}, Fault{Name: "fault-1", Actions: status(500)}); !errors.Is(err, ErrTaken) || err.Error() != "[1].name: there is a fault of that name already: fault-1" {
		t.Errorf("want the place and ErrTaken, got %v", err)
	}
	if _, err := s.Arm(Fault{Name: "a", Actions: status(500)}, Fault{}); err == nil {
		t.Error("want a fault that does nothing refused")
	}
	armed, err := s.Arm(Fault{Actions: status(500)}, Fault{Actions: status(501)})
	if err != nil || armed[0].Name != "fault-2" || armed[1].Name != "fault-3" {
		t.Errorf("want names that are free, got %+v, %v", armed, err)
	}
	if _, err := s.Arm(slices.Repeat([]Fault{{Actions: status(500)}}, MaxFaults-2)...); !errors.Is(err, ErrFull) {
		t.Errorf("want ErrFull, got %v", err)
	}
	if n := s.Clear(); n != 3 {
		t.Errorf("want 3 faults cleared, got %d", n)
	}
	if err := s.Disarm("a"); !errors.Is(err, ErrMissing) {
		t.Errorf("want ErrMissing, got %v", err)
	}
}
