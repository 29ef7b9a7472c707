//go:build unix

package pgembed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Server is a running PostgreSQL.
type Server struct {
	dir      string
	lock     *os.File
	password string
	sockets  string
	process  *os.Process
	gone     chan struct{} // closed when the process has ended
	ended    error         // its result; valid after gone is closed
}

const (
	superuser          = "marketplace"
	defaultConnections = 100
	// startTime limits a start. Recovery after a crash may take a while.
	startTime = 2 * time.Minute
	// longestSocket is the maximum path of a Unix socket's folder.
	longestSocket = 107 - len("/"+socketName)
	socketName    = ".s.PGSQL.5432"
)

// Start starts the server and returns when it is ready. Its error wraps ErrNoBinaries if there is
// no PostgreSQL, and says in one line what to do. It removes libpq's variables from this process.
func Start(ctx context.Context, config Config) (_ *Server, err error) {
	dir, err := filepath.Abs(config.Dir)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(dir, "\n\r") { // PostgreSQL's commands refuse it, and its files have a path in one line
		return nil, fmt.Errorf("the path %q contains a line break: choose another data folder with MARKETPLACE_DATA_DIR", dir)
	}
	if err := removeVariables(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, fmt.Errorf("create the private PostgreSQL's folder: %w", err)
	}
	s := &Server{dir: dir, gone: make(chan struct{})}
	if s.lock, err = lock(dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.leave()
		}
	}()
	o, err := serverOwner()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	if err := o.reaches(data); err != nil {
		return nil, err
	}
	if s.sockets, err = socketFolder(dir); err != nil {
		return nil, err
	}
	if err := o.makeOwnFolder(s.sockets); err != nil {
		return nil, fmt.Errorf("create PostgreSQL's socket folder: %w", err)
	}
	if err := endOrphan(ctx, data, s.sockets); err != nil {
		return nil, err
	}
	commands, err := provide(ctx, config, dir, data)
	if err != nil {
		return nil, err
	}
	if s.password, err = password(filepath.Join(dir, "password")); err != nil {
		return nil, err
	}
	if err := create(ctx, commands, o, data, s.password, config.Disposable); err != nil {
		return nil, err
	}
	if err := s.run(ctx, commands, o, dir, data, config); err != nil {
		return nil, err
	}
	return s, nil
}

// socketFolder returns the socket's folder. It is in dir, unless its path is too long for a socket or
// contains a comma, which separates hosts in an address: then it is a fixed folder below /tmp, which
// every process finds whatever its TMPDIR.
func socketFolder(dir string) (string, error) {
	sockets := filepath.Join(dir, "socket")
	if len(sockets) <= longestSocket && !strings.Contains(sockets, ",") {
		return sockets, nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", fmt.Errorf("the path %s cannot hold a socket: choose another data folder with MARKETPLACE_DATA_DIR", dir)
	}
	return fmt.Sprintf("/tmp/marketplace-%d-%d", os.Geteuid(), stat.Ino), nil
}

// run starts the server and waits until it is ready.
func (s *Server) run(ctx context.Context, commands binaries, o owner, dir, data string, config Config) error {
	log, err := openLog(filepath.Join(dir, "postgresql.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(commands.command("postgres"), settings(data, s.sockets, config)...)
	command.Dir, command.Env = data, serverEnvironment()
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = o.process()
	endWithParent(command.SysProcAttr)
	started := make(chan error)
	go func() {
		// Linux sends the signal when the thread that started the child ends, so that thread is
		// kept until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			s.ended = command.Wait()
			close(s.gone)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	s.process = command.Process
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if pollUntil(ctx, func() bool { return s.hasExited() || s.isReady(data) }) && !s.hasExited() {
		return nil
	}
	if !s.hasExited() {
		return errors.Join(fmt.Errorf("PostgreSQL did not become ready: %w", context.Cause(ctx)), s.Stop(ctx))
	}
	return fmt.Errorf("PostgreSQL ended during startup (%w): %s", s.ended, lastLine(log.Name()))
}

// isReady reports whether the pid file belongs to our server, not an orphan, and says that it is
// ready.
func (s *Server) isReady(data string) bool {
	lines, err := pidLines(data)
	return err == nil && len(lines) > 0 && lines[0] == strconv.Itoa(s.process.Pid) && lines[len(lines)-1] == "ready"
}

func (s *Server) hasExited() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// settings returns the server's settings: no TCP port, and a socket for its owner and root only.
func settings(data, sockets string, config Config) []string {
	args := []string{
		"-D", data, "-k", sockets,
		"-c", "listen_addresses=", "-c", "unix_socket_permissions=0700",
		"-c", "max_connections=" + strconv.Itoa(cmp.Or(config.MaxConnections, defaultConnections)),
		"-c", "log_destination=stderr", "-c", "logging_collector=off",
		"-c", "log_statement=none", "-c", "log_min_error_statement=panic", "-c", "log_error_verbosity=terse", // statements and rows contain customers' data
		"-c", "timezone=UTC",
	}
	if config.Disposable {
		args = append(args, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
			// Nothing is recovered, replicated or kept for long.
			"-c", "wal_level=minimal", "-c", "max_wal_senders=0", "-c", "max_wal_size=8GB", "-c", "checkpoint_timeout=1d", "-c", "autovacuum=off")
	}
	return args
}

// URL returns the address of a database with its password. It must not be logged.
func (s *Server) URL(database string) string { return addressOf(s.sockets, s.password, database) }

// URLOf returns the address of a database of another process's server in that folder. Only its user
// and root can read the password. Like Start, it removes libpq's variables.
func URLOf(dir, database string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := removeVariables(); err != nil {
		return "", err
	}
	password, err := os.ReadFile(filepath.Join(dir, "password"))
	if err != nil {
		return "", fmt.Errorf("read PostgreSQL's password: %w", err)
	}
	sockets, err := socketFolder(dir)
	return addressOf(sockets, string(password), database), err
}

func addressOf(sockets, password, database string) string {
	query := url.Values{"host": {sockets}, "sslmode": {"disable"}}.Encode()
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, password), Path: "/" + database,
		RawQuery: strings.ReplaceAll(query, "+", "%20"), // as libpq does, clients take a plus sign as such
	}
	return address.String()
}

// Exited returns a channel that is closed when the server has ended for any reason.
func (s *Server) Exited() <-chan struct{} { return s.gone }

// Stop ends the server. Transactions in progress are rolled back, and the data stays. If ctx ends
// first, the server is ended immediately and recovers at the next start.
func (s *Server) Stop(ctx context.Context) error {
	defer s.leave()
	if err := s.process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	select {
	case <-s.gone:
		return nil
	case <-ctx.Done():
	}
	_ = s.process.Signal(syscall.SIGQUIT) // it may have ended
	select {
	case <-s.gone:
		return nil
	case <-time.After(quitTime):
	}
	_ = s.process.Kill() // this also ends a stopped process
	<-s.gone
	return nil
}

// quitTime limits an immediate shutdown.
const quitTime = 500 * time.Millisecond

// leave releases the folder, and removes a separate socket folder if it is empty: a running server
// has its socket in it.
func (s *Server) leave() {
	if s.sockets != "" && filepath.Dir(s.sockets) != s.dir {
		_ = os.Remove(s.sockets)
	}
	unlock(s.lock)
}
