//go:build linux

package crash

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/internal/tooltest"
)

// server is a PostgreSQL of the test, with its own folder for data, socket and log. The test can
// end its process in any way and start it again.
type server struct {
	commands string // the folder of PostgreSQL's commands
	dir      string
	account  *syscall.Credential // PostgreSQL refuses to run as root; nil: the test's own user
	env      []string
	process  *exec.Cmd
	gone     chan struct{}
}

// commandsOf returns the folder of PostgreSQL's commands: the newest in the distributions' folders.
func commandsOf(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out built commands")
	}
	found := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*"} {
		folders, _ := filepath.Glob(pattern) // the patterns are valid
		found = append(found, folders...)
	}
	for i := len(found) - 1; i >= 0; i-- {
		if _, err := os.Stat(filepath.Join(found[i], "pg_basebackup")); err == nil {
			if _, err := os.Stat(filepath.Join(found[i], "postgres")); err == nil {
				return found[i]
			}
		}
	}
	tooltest.Skip(t, tooltest.PostgreSQL, "no folder has pg_basebackup and postgres")
	return ""
}

// databaseUser returns the user that runs PostgreSQL.
func databaseUser(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		check(t, errors.Join(uidErr, gidErr))
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), Groups: []uint32{}}
	}
	t.Fatal("PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it")
	return nil
}

func newServer(t *testing.T, dir string, env []string) *server {
	t.Helper()
	s := &server{commands: commandsOf(t), dir: dir, account: databaseUser(t), env: env}
	check(t, os.MkdirAll(s.socket(), 0o755))
	if s.account != nil {
		check(t, os.Chown(dir, int(s.account.Uid), int(s.account.Gid)))
		check(t, os.Chown(s.socket(), int(s.account.Uid), int(s.account.Gid)))
	}
	return s
}

func (s *server) data() string   { return filepath.Join(s.dir, "data") }
func (s *server) socket() string { return filepath.Join(s.dir, "socket") }

// address returns the address of this server, not of the cluster.
func (s *server) address() string {
	query := url.Values{"host": {s.socket()}, "sslmode": {"disable"}, "connect_timeout": {"10"}}
	return "postgres://marketplace@/postgres?" + query.Encode()
}

func (s *server) command(name string, args ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(s.commands, name), args...)
	command.Dir, command.Env = s.dir, append([]string{"PATH=" + os.Getenv("PATH"), "TZ=UTC"}, s.env...)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: s.account, Setpgid: true}
	return command
}

// runCommand runs one of PostgreSQL's commands and waits for its end.
func (s *server) runCommand(name string, args ...string) error {
	if output, err := s.command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, output)
	}
	return nil
}

// make creates an empty database. Only its owner and the test can reach the socket's
// folder, so it needs no password.
func (s *server) make() error {
	return s.runCommand("initdb", "--pgdata", s.data(), "--username", "marketplace", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
}

// copyOf makes this server a standby of another one, with a copy of its data.
func (s *server) copyOf(primary *server) error {
	if err := os.RemoveAll(s.data()); err != nil {
		return err
	}
	return s.runCommand("pg_basebackup", "--pgdata", s.data(), "--write-recovery-conf", "--checkpoint", "fast", "--no-sync",
		"--dbname", "host="+primary.socket()+" user=marketplace application_name="+standbyName)
}

// start starts the server, and returns when it accepts queries.
func (s *server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if err := s.launch(); err != nil {
			return err
		}
		for !s.hasExited() {
			if err := s.query(ctx, "SELECT 1"); err == nil {
				return nil
			}
			if !wait(ctx, 30*time.Millisecond) {
				return fmt.Errorf("PostgreSQL in %s does not answer: %w", s.dir, ctx.Err())
			}
		}
		// Processes of a server that was killed may not have ended yet.
		if !wait(ctx, 100*time.Millisecond) {
			return fmt.Errorf("PostgreSQL in %s does not stay: %w", s.dir, ctx.Err())
		}
	}
}

func (s *server) launch() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "postgresql.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"-D", s.data(), "-k", s.socket()}
	for _, setting := range []string{
		"listen_addresses=", "max_connections=300", "shared_buffers=32MB", "timezone=UTC", "log_min_messages=warning",
		"max_wal_size=256MB", "wal_keep_size=128MB", "wal_retrieve_retry_interval=300ms", "wal_sender_timeout=10s",
	} {
		args = append(args, "-c", setting)
	}
	s.process = s.command("postgres", args...)
	s.process.Stdout, s.process.Stderr = log, log
	s.gone, err = startProcess(s.process, syscall.SIGQUIT)
	return err
}

// startProcess starts a process, which gets a signal when the test ends. gone is closed when it has ended.
func startProcess(process *exec.Cmd, atEnd syscall.Signal) (gone chan struct{}, err error) {
	process.SysProcAttr.Pdeathsig = atEnd
	gone, started := make(chan struct{}), make(chan error)
	go func() {
		// The signal is sent when the thread that started the process ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := process.Start()
		if started <- err; err == nil {
			_ = process.Wait() // its end is expected
			close(gone)
		}
	}()
	return gone, <-started
}

func (s *server) hasExited() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// end sends the server a signal and waits for its end. SIGINT shuts it down; after SIGKILL it
// recovers at the next start.
func (s *server) end(signal syscall.Signal) error {
	if s.process == nil || s.hasExited() {
		return nil
	}
	if err := s.process.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.gone:
		return nil
	case <-time.After(patience):
		return errors.Join(fmt.Errorf("PostgreSQL in %s does not end", s.dir), s.process.Process.Kill())
	}
}

// query runs a statement on this server.
func (s *server) query(ctx context.Context, statement string, into ...any) error {
	conn, err := pgx.Connect(ctx, s.address())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // an error of Close does not matter
	if len(into) > 0 {
		return conn.QueryRow(ctx, statement).Scan(into...)
	}
	_, err = conn.Exec(ctx, statement)
	return err
}

// set changes a setting of the running server.
func (s *server) set(ctx context.Context, name, value string) error {
	if err := s.query(ctx, "ALTER SYSTEM SET "+name+" = '"+value+"'"); err != nil {
		return err
	}
	return s.query(ctx, "SELECT pg_reload_conf()")
}

// signal sends a signal to the server and its processes, each of which has a group of its own.
func (s *server) signal(signal syscall.Signal) error {
	server := s.process.Process.Pid
	if err := syscall.Kill(server, signal); err != nil { // first, so that it starts no more processes
		return err
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", server))
	for _, child := range strings.Fields(string(children)) {
		pid, wrong := strconv.Atoi(child)
		if wrong != nil {
			return wrong
		}
		_ = syscall.Kill(pid, signal) // it may have ended
	}
	return err
}
