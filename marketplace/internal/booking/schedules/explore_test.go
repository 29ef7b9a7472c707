package schedules

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// schedule maps the keys of steps that deviate to their deviations.
type schedule map[string]deviation

func (s schedule) plan(key string, _ []deviation) deviation { return s[key] }

// addDeviation returns the schedule with one more deviation.
func (s schedule) addDeviation(key string, d deviation) schedule {
	more := schedule{key: d}
	for k, v := range s {
		more[k] = v
	}
	return more
}

// setting is the configuration of a run apart from its schedule.
type setting struct {
	replicas int
	palette  palette
	skew     time.Duration // of the second replica's clock
	phase    time.Duration // when the workload begins, relative to a sweep
}

// play plays a workload with a plan, in virtual time.
func play(t *testing.T, s workload, in setting, plan func(string, []deviation) deviation) (w *world) {
	synctest.Test(t, func(*testing.T) {
		w = newWorld(in.replicas, plan)
		w.platform.palette = in.palette
		w.replicas[1].skewed = in.skew
		w.loops.Go(w.work)
		w.loops.Go(w.sweep)
		time.Sleep(in.phase)
		s.play(w)
		w.settle()
		w.checkEnd()
		w.close()
	})
	return w
}

// found is a schedule that breaks an invariant.
type found struct {
	workload  string
	invariant string
	plan      schedule
	listed    string
}

// exploration plays every schedule of a workload up to a depth.
type exploration struct {
	t       *testing.T
	in      setting
	every   int // of the schedules with more than one deviation, one in so many is played
	mu      sync.Mutex
	played  int
	deepest int
	faults  map[string]found // the first of each kind, by workload and invariant
}

// tree plays a schedule, and then all that have one more deviation after the last one, up to
// a depth.
func (e *exploration) tree(s workload, plan schedule, from, depth int) {
	w := play(e.t, s, e.in, plan.plan)
	e.keep(s, plan, w)
	if depth == 0 {
		return
	}
	for i := from; i < len(w.trace); i++ {
		for j, d := range w.trace[i].options {
			if (i+j)%e.every == 0 {
				e.tree(s, plan.addDeviation(w.trace[i].key, d), i+1, depth-1)
			}
		}
	}
}

func (e *exploration) keep(s workload, plan schedule, w *world) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.played++
	e.deepest = max(e.deepest, len(w.trace))
	for _, b := range w.broken {
		invariant, _, _ := strings.Cut(b, ": ")
		kind := s.name + ": " + invariant
		if known, ok := e.faults[kind]; !ok || len(plan) < len(known.plan) {
			e.faults[kind] = found{s.name, invariant, plan, w.listing()}
		}
	}
}

// explore plays the schedules of all workloads.
func explore(t *testing.T, in setting, depth, every int) *exploration {
	e := &exploration{t: t, in: in, every: every, faults: map[string]found{}}
	type branch struct {
		s    workload
		plan schedule
		from int
	}
	branches := make(chan branch)
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for b := range branches {
				e.tree(b.s, b.plan, b.from, depth-1)
			}
		})
	}
	for _, s := range workloads {
		w := play(t, s, in, schedule{}.plan)
		e.keep(s, schedule{}, w)
		if depth == 0 {
			continue
		}
		for i, step := range w.trace {
			for _, d := range step.options {
				branches <- branch{s, schedule{step.key: d}, i + 1}
			}
		}
	}
	close(branches)
	all.Wait()
	return e
}

// report writes the findings, with the shortest schedule of each kind.
func (e *exploration) report() string {
	var out strings.Builder
	for _, kind := range sortedKeys(e.faults) {
		f := e.faults[kind]
		fmt.Fprintf(&out, "\n%s breaks %s, with %d deviations:\n%s", f.workload, f.invariant, len(f.plan), f.listed)
	}
	return out.String()
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// limits returns the maximum number of deviations in a schedule, and of the schedules with more than
// one, in how many one is played. make schedules plays all with SCHEDULES deviations.
func limits(t *testing.T) (deep, every int) {
	text := os.Getenv("SCHEDULES")
	if text == "" {
		return 2, 4
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("SCHEDULES: %v", err)
	}
	return n, 1
}

func TestNoScheduleOfPausesAndLostRepliesBreaksAnInvariant(t *testing.T) {
	deep, every := limits(t)
	began := time.Now()
	e := explore(t, setting{replicas: 2, palette: short}, deep, every)
	t.Logf("%d schedules of up to %d deviations, the longest with %d steps, in %s", e.played, deep, e.deepest, time.Since(began).Round(time.Millisecond))
	if len(e.faults) > 0 {
		t.Errorf("%d kinds of fault:\n%s", len(e.faults), e.report())
	}
}
