package explore

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// alone is held while rapid works: its settings are flags of the process.
var alone sync.Mutex

// try has rapid draw once from the seed. Property ends its goroutine, and keeps what
// becomes of it.
func try(seed uint64, property func(*rapid.T)) {
	alone.Lock()
	defer alone.Unlock()
	prepare()
	checks := 1
	if testing.Short() {
		checks = 5 // of which rapid then makes a fifth
	}
	for name, value := range map[string]any{
		"rapid.checks": checks, "rapid.seed": seed,
	} {
		set := flag.Lookup(name)
		before := set.Value.String()
		_ = flag.Set(name, fmt.Sprint(value)) // of the right type
		defer func() { _ = flag.Set(name, before) }()
	}
	// In a goroutine of its own, which property may end.
	var running sync.WaitGroup
	running.Go(func() { rapid.Check(&listener{}, property) })
	running.Wait()
}

// prepare lets rapid work outside `go test`: it asks whether tests are to be short.
func prepare() {
	testing.Init()
	if !flag.Parsed() {
		_ = flag.CommandLine.Parse(nil) // nothing to be misunderstood
	}
}

// listener hears rapid's own words, which are written for programmers at their
// tests. Methods that it lacks are not called outside of a property.
type listener struct {
	rapid.TB
	failed bool
}

func (*listener) Helper()                 {}
func (*listener) Name() string            { return "explore" }
func (*listener) Log(...any)              {}
func (*listener) Logf(string, ...any)     {}
func (l *listener) Errorf(string, ...any) { l.failed = true }
func (l *listener) Failed() bool          { return l.failed }
func (l *listener) FailNow()              { runtime.Goexit() }
