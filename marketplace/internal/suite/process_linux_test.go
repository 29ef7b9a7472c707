package suite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/suite"
)

// showPriorities makes the test binary print the priority of each of its threads.
const showPriorities = "SHOW_PRIORITIES=1"

func TestMain(m *testing.M) {
	if os.Getenv(strings.TrimSuffix(showPriorities, "=1")) == "" {
		os.Exit(m.Run())
	}
	var busy sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		busy.Go(func() { // a goroutine of its own on a thread of its own
			runtime.LockOSThread()
			runtime.GC()
		})
	}
	busy.Wait()
	threads, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		panic(err)
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(filepath.Join(thread, "stat"))
		if err != nil {
			continue // the thread has ended
		}
		_, fields, _ := bytes.Cut(stat, []byte(") ")) // the name may contain spaces
		fmt.Printf("%s\n", bytes.Fields(fields)[16])
	}
}

// The priority of a process is one of each thread. A judge of traffic that runs at the service's
// own priority slows calls to partners down.
func TestEveryThreadOfAProcessHasALowerPriorityThanTheService(t *testing.T) {
	t.Parallel()
	own, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	must(t, err)
	expected := fmt.Sprint(min(20-own+10, 19))
	self, err := os.Executable()
	must(t, err)
	for range 10 { // threads start at any time
		var output bytes.Buffer
		p, err := suite.Start(suite.Command{Path: self, Dir: t.TempDir(), Env: []string{showPriorities}, Output: &output})
		must(t, err)
		<-p.Gone
		priorities := strings.Fields(output.String())
		if p.Code() != 0 || len(priorities) < 2 {
			t.Fatalf("got exit code %d and the priorities %v: %s", p.Code(), priorities, p.LastError())
		}
		for _, priority := range priorities {
			if priority != expected {
				t.Fatalf("got the priorities %v, want %s for each", priorities, expected)
			}
		}
	}
}

// must ends the test on an error.
var must = errtest.Check
