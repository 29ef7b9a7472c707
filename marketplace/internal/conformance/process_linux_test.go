package conformance

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
)

// showPriorities makes the test binary print the priority of each of its threads.
const showPriorities = "SHOW_PRIORITIES=1"

func init() {
	if os.Getenv(strings.TrimSuffix(showPriorities, "=1")) == "" {
		return
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
	os.Exit(0)
}

// The priority of a process is one of each thread. A judge of traffic that runs at the service's
// own priority slows calls to partners down.
func TestEveryThreadOfAProcessHasALowerPriorityThanTheService(t *testing.T) {
	t.Parallel()
	own, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	errtest.Check(t, err)
	expected := fmt.Sprint(min(20-own+10, 19))
	self, err := os.Executable()
	errtest.Check(t, err)
	for range 3 { // threads start at any time
		var output bytes.Buffer
		p, err := startCommand(command{self, t.TempDir(), []string{showPriorities}, &output})
		errtest.Check(t, err)
		<-p.gone
		priorities := strings.Fields(output.String())
		if p.code() != 0 || len(priorities) < 2 {
			t.Fatalf("got exit code %d and the priorities %v: %s", p.code(), priorities, p.lastError())
		}
		for _, priority := range priorities {
			if priority != expected {
				t.Fatalf("got the priorities %v, want %s for each", priorities, expected)
			}
		}
	}
}
