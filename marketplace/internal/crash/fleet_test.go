package crash

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/pgembed"
	"partnerkit.dev/marketplace/internal/postgres"
)

const (
	secretKey = "a secret that all replicas of the test share"
	password  = "a password for the tests"
	// patience is how long anything may take that is sure to come, on a busy machine.
	patience = 2 * time.Minute
)

// command is the built command, once for all tests.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "marketplace-crash-")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "marketplace")
	build := exec.Command("go", "build", "-o", binary, "partnerkit.dev/marketplace/cmd/marketplace")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the command: %w: %s", err, said)
	}
	return binary, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if binary, err := command(); err == nil {
		_ = os.RemoveAll(filepath.Dir(binary))
	}
	os.Exit(code)
}

// fleet is some replicas on a PostgreSQL that is a process of its own.
type fleet struct {
	dir, binary string
	address     string // of the database
	seed        uint64
	random      *rand.Rand // of who is killed
	postgres    *pgembed.Server
	store       *postgres.Store
	replicas    []*replica
	restarts    int
	kills       int
	supervisors sync.WaitGroup
	outage      outage
	lost, paid  int // what was counted of holds and payments
}

// replica is a process of the service, which is started again whenever it ends.
type replica struct {
	sync.Mutex
	base    string // "": it does not serve
	process *os.Process
}

func (r *replica) now() (base string, process *os.Process) {
	r.Lock()
	defer r.Unlock()
	return r.base, r.process
}

func (r *replica) set(base string, process *os.Process) {
	r.Lock()
	defer r.Unlock()
	r.base, r.process = base, process
}

func launch(t *testing.T, replicas int, seed uint64) *fleet {
	t.Helper()
	binary, err := command()
	check(t, err)
	dir, err := os.MkdirTemp("", "marketplace-crash-") // one that PostgreSQL's own user can reach
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	check(t, os.Chmod(dir, 0o711))
	f := &fleet{dir: dir, binary: binary, seed: seed, random: rand.New(rand.NewPCG(seed, 1))}
	f.startDatabase(t)
	t.Cleanup(func() { check(t, f.postgres.Stop(context.Background())) })
	f.address = f.postgres.URL("postgres")
	f.run(t, "", "migrate")
	for _, role := range []string{"partner", "reseller"} {
		f.run(t, password+"\n", "account", "create", "--email", role+"@example.com", "--role", role)
	}
	f.store, err = postgres.Open(t.Context(), f.address, 4)
	check(t, err)
	t.Cleanup(f.store.Close)
	ctx, retire := context.WithCancel(context.Background())
	t.Cleanup(func() { retire(); f.supervisors.Wait(); f.showLogs(t) })
	for number := range replicas {
		r := &replica{}
		f.replicas = append(f.replicas, r)
		f.supervisors.Go(func() { f.supervise(ctx, t, r, f.logOf(number)) })
	}
	f.allServe(t)
	return f
}

func (f *fleet) startDatabase(t *testing.T) {
	t.Helper()
	// Not disposable: what was committed has to outlive the server's end.
	server, err := pgembed.Start(context.Background(), pgembed.Config{Dir: filepath.Join(f.dir, "postgresql"), MaxConnections: 300})
	if errors.Is(err, pgembed.ErrNoBinaries) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	check(t, err)
	f.postgres = server
}

// restartDatabase ends the server, and starts it anew; abruptly is that it has to recover.
func (f *fleet) restartDatabase(t *testing.T, abruptly bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if abruptly {
		cancel()
	}
	f.outage.begins()
	check(t, f.postgres.Stop(ctx))
	f.startDatabase(t)
	f.outage.ends()
	f.restarts++
}

// outage is the last time that the database was away.
type outage struct {
	sync.Mutex
	from, to time.Time
}

func (o *outage) begins() {
	o.Lock()
	defer o.Unlock()
	o.from, o.to = time.Now(), time.Time{}
}

func (o *outage) ends() {
	o.Lock()
	defer o.Unlock()
	o.to = time.Now()
}

const (
	// writes is how long a replica may take to write an answer down.
	writes = time.Second
	// returns is how long it may take, once the database is back, to write down what it
	// was answered meanwhile.
	returns = 5 * time.Second
)

// unwritten is how long before now a replica may have been answered what it has not
// written down.
func (o *outage) unwritten() time.Duration {
	o.Lock()
	defer o.Unlock()
	if o.from.IsZero() || !o.to.IsZero() && time.Since(o.to) > returns {
		return writes
	}
	return time.Since(o.from) + writes
}

func (f *fleet) command(args ...string) *exec.Cmd {
	process := exec.Command(f.binary, args...)
	process.Env = []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "HOME=" + f.dir,
		"MARKETPLACE_DATABASE_URL=" + f.address, "MARKETPLACE_SECRET_KEY=" + secretKey,
	}
	return process
}

// run runs a command beside the replicas, and returns what it says.
func (f *fleet) run(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	process := f.command(args...)
	process.Stdin = strings.NewReader(stdin)
	said, err := process.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, said)
	}
	return strings.TrimSpace(string(said))
}

func (f *fleet) logOf(number int) string {
	return filepath.Join(f.dir, fmt.Sprintf("replica-%d.log", number))
}

// supervise runs a replica until ctx ends, again and again.
func (f *fleet) supervise(ctx context.Context, t *testing.T, r *replica, logFile string) {
	log, err := os.Create(logFile)
	if err != nil {
		t.Error(err)
		return
	}
	defer log.Close()
	far := time.Now().UTC().Add(12 * time.Hour).Format("15:04")
	for ctx.Err() == nil {
		process := f.command("serve", "--addr", "127.0.0.1:0", "--allow-private-partners", "--rate-limit", "0",
			"--sweep-interval", "1s", "--probe-interval", "10s", "--nightly-at", far)
		process.Stderr = log
		out, err := process.StdoutPipe()
		if err == nil {
			err = process.Start()
		}
		if err != nil {
			t.Error(err)
			return
		}
		ended := context.AfterFunc(ctx, func() { _ = process.Process.Signal(syscall.SIGTERM) })
		lines := bufio.NewReader(io.TeeReader(out, log))
		for {
			line, err := lines.ReadBytes('\n')
			var said struct{ Msg, Address string }
			if json.Unmarshal(line, &said) == nil && said.Msg == "serving" {
				r.set(said.Address, process.Process)
			}
			if err != nil {
				break
			}
		}
		_ = process.Wait() // that it ends is expected
		ended()
		r.set("", nil)
	}
}

// base is the address of a replica that serves, the one of that number if it does; "" is
// that none does.
func (f *fleet) base(number int) string {
	for i := range f.replicas {
		if base, _ := f.replicas[(number+i)%len(f.replicas)].now(); base != "" {
			return base
		}
	}
	return ""
}

func (f *fleet) allServe(t *testing.T) {
	t.Helper()
	until(t, patience, "all replicas serving", func() bool {
		for _, r := range f.replicas {
			if base, _ := r.now(); base == "" {
				return false
			}
		}
		return true
	})
}

// age lets time pass for the marketplace: all that it has on record is older.
func (f *fleet) age(t *testing.T, by time.Duration) {
	t.Helper()
	for _, statement := range []string{
		`UPDATE bookings SET created_at = created_at - $1::interval, expires_at = expires_at - $1::interval, release_since = release_since - $1::interval, cancel_since = cancel_since - $1::interval`,
		`UPDATE booking_history SET at = at - $1::interval`,
		`UPDATE idempotency_keys SET asked_at = asked_at - $1::interval`,
		`UPDATE river_job SET created_at = created_at - $1::interval, attempted_at = attempted_at - $1::interval, scheduled_at = scheduled_at - $1::interval WHERE finalized_at IS NULL`,
		`UPDATE river_leader SET elected_at = elected_at - $1::interval, expires_at = expires_at - $1::interval`,
	} {
		_, err := f.store.Pool().Exec(t.Context(), statement, by)
		check(t, err)
	}
}

func (f *fleet) count(t *testing.T, query string) (n int) {
	t.Helper()
	check(t, f.store.Pool().QueryRow(t.Context(), query).Scan(&n))
	return n
}

// showLogs shows what the replicas complained of, where the test has failed.
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

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for what is sure to come.
func until(t *testing.T, within time.Duration, what string, so func() bool) {
	t.Helper()
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("want %s within %s", what, within)
		}
	}
}
