//go:build linux

package crash

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/internal/buildtest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/postgres"
)

const (
	secretKey = "a secret that all replicas of the test share"
	password  = "a password for the tests"
	// patience limits the wait for an expected event on a busy machine.
	patience = 10 * time.Minute
)

// command returns the built command. It is built once for all tests.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "marketplace-crash-")
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "marketplace"), buildtest.Install(dir, "partnerkit.dev/marketplace/cmd/marketplace")
})

func TestMain(m *testing.M) {
	code := m.Run()
	if binary, err := command(); err == nil {
		_ = os.RemoveAll(filepath.Dir(binary))
	}
	os.Exit(code)
}

// fleet is some replicas on a database. Each has its own link.
type fleet struct {
	dir, binary string
	seed        uint64
	apart       time.Duration // the offset of the database's clock from all others
	database    database
	cluster     *cluster        // nil: Patroni's
	links       []*link         // one for each replica, and the test's own
	store       *postgres.Store // the test's own
	replicas    []*replica
	came        faultCounts // faults that happened
	answers     answers
	supervisors sync.WaitGroup
	lost        int // holds whose answer was lost
}

// replica is a process of the service, which is restarted whenever it ends.
type replica struct {
	sync.Mutex
	base      string // "": it does not serve
	process   *os.Process
	taken     bool // reserved for a pause or an end
	disturbed int  // how often it was paused or ended, also by itself
}

// aboutToBe is the number of disturbances of a taken replica, which may be disturbed any moment.
const aboutToBe = -1

// now returns a replica's address and its number of disturbances.
func (r *replica) now() (base string, disturbed int) {
	r.Lock()
	defer r.Unlock()
	if r.taken {
		return r.base, aboutToBe
	}
	return r.base, r.disturbed
}

func (r *replica) serves(base string, process *os.Process) {
	r.Lock()
	defer r.Unlock()
	r.base, r.process, r.taken = base, process, false
	if base == "" {
		r.disturbed++
	}
}

// take reserves a serving replica for a disturbance and returns its process, or nil if
// none is free. Customers still use the replica.
func (r *replica) take() *os.Process {
	r.Lock()
	defer r.Unlock()
	if r.base == "" || r.taken {
		return nil
	}
	r.taken = true
	r.disturbed++
	return r.process
}

func (r *replica) giveBack() {
	r.Lock()
	defer r.Unlock()
	r.taken = false
}

// replicas is the number of replicas.
const replicas = 3

// database is what leads to a PostgreSQL.
type database struct {
	socket        func() string // where it listens now
	account, name string        // the user, with a password if it needs one, and the database
	settings      []string      // further settings of the service for it
}

// launch starts replicas on a database of the test. all enables every fault.
func launch(t *testing.T, seed uint64, all bool) *fleet {
	t.Helper()
	f := newFleet(t, seed)
	var env []string
	env, f.apart = otherClock(t, rand.New(rand.NewPCG(seed, 3)))
	f.cluster = newCluster(t, f.dir, env, all)
	f.start(t, database{f.cluster.socket, "marketplace", "postgres", nil})
	f.cluster.links = f.links
	return f
}

func newFleet(t *testing.T, seed uint64) *fleet {
	t.Helper()
	binary, err := command()
	check(t, err)
	dir, err := os.MkdirTemp("", "marketplace-crash-") // PostgreSQL's user can reach it
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	check(t, os.Chmod(dir, 0o711))
	return &fleet{dir: dir, binary: binary, seed: seed, answers: answers{timed: wholeBookings(t) > 0}}
}

// start starts the replicas.
func (f *fleet) start(t *testing.T, d database) {
	t.Helper()
	f.database = d
	for range replicas + 1 {
		l, err := newLink(d)
		check(t, err)
		t.Cleanup(l.close)
		f.links = append(f.links, l)
	}
	own := f.ownAddress()
	f.run(t, "", own, "migrate")
	for _, role := range []string{"partner", "reseller"} {
		f.run(t, password+"\n", own, "account", "create", "--email", role+"@example.com", "--role", role)
	}
	var err error
	f.store, err = postgres.Open(t.Context(), own, 4)
	check(t, err)
	t.Cleanup(f.store.Close)
	ctx, retire := context.WithCancel(context.Background())
	t.Cleanup(func() { retire(); f.supervisors.Wait(); f.showLogs(t) })
	for number := range replicas {
		r := &replica{}
		f.replicas = append(f.replicas, r)
		f.supervisors.Go(func() { f.supervise(ctx, t, r, f.links[number].address(), f.logOf(number)) })
	}
	f.allServe(t)
}

// ownAddress is the database's address for the test.
func (f *fleet) ownAddress() string { return f.links[replicas].address() }

func (f *fleet) command(database string, args ...string) *exec.Cmd {
	process := exec.Command(f.binary, args...)
	process.Env = []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + f.dir,
		"MARKETPLACE_DATABASE_URL=" + database, "MARKETPLACE_SECRET_KEY=" + secretKey,
	}
	process.Env = append(process.Env, f.database.settings...)
	return process
}

// run runs a command in addition to the replicas, and returns its output.
func (f *fleet) run(t *testing.T, stdin, database string, args ...string) string {
	t.Helper()
	process := f.command(database, args...)
	process.Stdin = strings.NewReader(stdin)
	output, err := process.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, output)
	}
	return strings.TrimSpace(string(output))
}

func (f *fleet) logOf(number int) string {
	return filepath.Join(f.dir, fmt.Sprintf("replica-%d.log", number))
}

// restartPause is the pause before an ended replica is restarted.
const restartPause = 200 * time.Millisecond

// supervise restarts a replica until ctx ends.
func (f *fleet) supervise(ctx context.Context, t *testing.T, r *replica, database, logFile string) {
	runtime.LockOSThread() // the process ends with this thread
	defer runtime.UnlockOSThread()
	log, err := os.Create(logFile)
	if err != nil {
		t.Error(err)
		return
	}
	defer log.Close()
	far := time.Now().UTC().Add(12 * time.Hour).Format("15:04")
	for ctx.Err() == nil {
		process := f.command(database, "serve", "--addr", "127.0.0.1:0", "--allow-private-partners", "--rate-limit", "0",
			"--sweep-interval", "1s", "--probe-interval", "10s", "--nightly-at", far)
		process.Stderr = log
		process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		out, err := process.StdoutPipe()
		if err == nil {
			err = process.Start()
		}
		if err != nil {
			t.Error(err)
			return
		}
		ended := context.AfterFunc(ctx, func() { _ = process.Process.Signal(syscall.SIGTERM) })
		lines, served := bufio.NewReader(io.TeeReader(out, log)), false
		for {
			line, err := lines.ReadBytes('\n')
			var entry struct{ Msg, Address string }
			if json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
				served = true
				r.serves(entry.Address, process.Process)
			}
			if err != nil {
				break
			}
		}
		// It is killed repeatedly, and cannot start while its database is away. Once it serves,
		// only a signal may end it.
		if err := process.Wait(); served && ctx.Err() == nil && process.ProcessState.Exited() {
			t.Errorf("Expected a replica that goes on, received one that ended by itself: %v; see the end of its log", err)
		}
		ended()
		r.serves("", nil)
		wait(ctx, restartPause)
	}
}

// servingReplica returns a serving replica, preferably the one with that number, or nil.
func (f *fleet) servingReplica(number int) *replica {
	for i := range f.replicas {
		r := f.replicas[(number+i)%len(f.replicas)]
		if base, _ := r.now(); base != "" {
			return r
		}
	}
	return nil
}

// base returns the address of a serving replica.
func (f *fleet) base() string {
	base, _ := f.servingReplica(0).now()
	return base
}

func (f *fleet) allServe(t *testing.T) {
	t.Helper()
	waitUntil(t, patience, "all replicas serving", func() bool {
		for _, r := range f.replicas {
			if base, _ := r.now(); base == "" {
				return false
			}
		}
		return true
	})
}

func (f *fleet) count(t *testing.T, query string) (n int) {
	t.Helper()
	check(t, f.store.Pool().QueryRow(t.Context(), query).Scan(&n))
	return n
}

// showLogs prints the end of each replica's log if the test failed.
func (f *fleet) showLogs(t *testing.T) {
	if !t.Failed() {
		return
	}
	for number := range f.replicas {
		text, err := os.ReadFile(f.logOf(number))
		if err != nil {
			t.Error(err)
		}
		if len(text) > 20_000 {
			text = text[len(text)-20_000:]
		}
		t.Logf("replica %d: %s", number, text)
	}
}

// check ends the test on an error.
var check = errtest.Check

// waitUntil waits for an expected condition.
func waitUntil(t *testing.T, within time.Duration, what string, so func() bool) {
	t.Helper()
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	tick := time.NewTicker(200 * time.Millisecond) // a look at all calls and bookings takes a while
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("want %s within %s", what, within)
		}
	}
}
