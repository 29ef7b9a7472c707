package pgtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/tooltest"
)

// pooledVariable is the environment variable that has every store reach its database through a pooler.
const pooledVariable = "POOLED"

// pooler is a PgBouncer in transaction mode.
type pooler struct {
	command *exec.Cmd
	sockets string
}

// Pooled returns the address of a database through a PgBouncer in transaction mode, which ends with
// the test.
func Pooled(t testing.TB, address string) string {
	t.Helper()
	tooltest.Require(t, tooltest.PgBouncer)
	dir, err := os.MkdirTemp("", "pooler-") // not t.TempDir, whose path is too long for a socket
	errtest.Check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	errtest.Check(t, os.Chmod(dir, 0o711)) // for the user that root hands the pooler to
	p, err := startPooler(dir, address)
	errtest.Check(t, err)
	t.Cleanup(p.stop)
	return p.url(address)
}

// startPooler starts a pooler for all databases of the server at that address.
func startPooler(dir, address string) (*pooler, error) {
	to, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	p := &pooler{sockets: filepath.Join(dir, "pooler")}
	if err := os.Mkdir(p.sockets, 0o700); err != nil {
		return nil, err
	}
	lines := []string{
		"[databases]", fmt.Sprintf("* = host=%s user=%s", to.Query().Get("host"), to.User.Username()),
		"[pgbouncer]", "pool_mode = transaction", "auth_type = any", "listen_port = " + poolerPort, "unix_socket_dir = " + p.sockets,
		"max_client_conn = 2000", "default_pool_size = 8", "server_idle_timeout = 2", // each test has a database of its own
	}
	if os.Geteuid() == 0 { // it refuses to run as root
		if err := giveTo(poolerUser, p.sockets); err != nil {
			return nil, err
		}
		lines = append(lines, "user = "+poolerUser)
	}
	config := filepath.Join(dir, "pooler.ini")
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return nil, err
	}
	p.command = exec.Command("/usr/sbin/pgbouncer", config)
	log, err := p.command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	read := bufio.NewScanner(log)
	var said []string
	for read.Scan() {
		if said = append(said, read.Text()); strings.Contains(read.Text(), "process up") {
			go func() { _, _ = io.Copy(io.Discard, log) }() // it would wait for a full pipe
			return p, nil
		}
	}
	return nil, fmt.Errorf("start PgBouncer: %w: %s", p.command.Wait(), strings.Join(said, "\n"))
}

const (
	poolerPort = "6432" // a part of the socket's name
	poolerUser = "postgres"
)

func giveTo(name, dir string) error {
	account, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, errUID := strconv.Atoi(account.Uid)
	gid, errGID := strconv.Atoi(account.Gid)
	return errors.Join(errUID, errGID, os.Chown(dir, uid, gid))
}

// url returns a database's address through the pooler.
func (p *pooler) url(address string) string {
	to, err := url.Parse(address)
	if err != nil {
		return address // the store refuses it
	}
	query := to.Query()
	query.Set("host", p.sockets)
	query.Set("port", poolerPort)
	to.RawQuery = query.Encode()
	return to.String()
}

func (p *pooler) stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	_ = p.command.Wait()
}
