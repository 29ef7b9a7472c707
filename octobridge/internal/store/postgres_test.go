//go:build unix

package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"partnerkit.dev/internal/tooltest"
)

// postgres is the PostgreSQL of all tests; empty if the machine has none.
var postgres server

type server struct{ folder string }

func TestMain(m *testing.M) {
	programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if onPath, err := exec.LookPath("initdb"); err == nil {
		programs = append(programs, filepath.Dir(onPath))
	}
	code := 1
	stop, err := func() {}, error(nil)
	if len(programs) > 0 {
		stop, err = postgres.start(programs[len(programs)-1])
	}
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	stop()
	os.Exit(code)
}

// start starts a PostgreSQL in a folder of its own, which listens on a socket there.
func (s *server) start(bin string) (stop func(), err error) {
	stop = func() {}
	// Another user has to get through it, and a socket's name is short.
	if s.folder, err = os.MkdirTemp("", "pg-"); err != nil {
		return stop, err
	}
	stop = func() { _ = os.RemoveAll(s.folder) }
	as := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 { // for which PostgreSQL does not run
		account, err := user.Lookup("postgres")
		if err != nil {
			return stop, err
		}
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.folder, uid, gid); err != nil {
			return stop, err
		}
	}
	run := func(program string, arguments ...string) error {
		command := exec.Command(filepath.Join(bin, program), arguments...)
		command.SysProcAttr, command.Dir = as, s.folder
		output, err := command.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", program, err, output)
		}
		return nil
	}
	data := filepath.Join(s.folder, "data")
	err = errors.Join(os.Chmod(s.folder, 0o711), run("initdb", "--pgdata", data, "--auth", "trust", "--username", "bridge", "--no-sync"))
	if err == nil {
		err = run("pg_ctl", "start", "--pgdata", data, "--wait", "--log", filepath.Join(s.folder, "log"),
			"--options", "-c listen_addresses='' -c fsync=off -k "+s.folder)
		stop = func() {
			_ = run("pg_ctl", "stop", "--pgdata", data, "--mode", "immediate")
			_ = os.RemoveAll(s.folder)
		}
	}
	return stop, err
}

func (s *server) address(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User("bridge"), Path: "/" + database, RawQuery: url.Values{"host": {s.folder}}.Encode()}).String()
}

var databases atomic.Int64

// newDatabase returns the address of an empty database.
func newDatabase(t *testing.T) string {
	t.Helper()
	if postgres.folder == "" {
		tooltest.Skip(t, tooltest.PostgreSQL, "no initdb on the PATH or in /usr/lib/postgresql")
	}
	name := fmt.Sprintf("bridge%d", databases.Add(1))
	db, err := sql.Open("pgx", postgres.address("postgres"))
	check(t, err)
	_, err = db.ExecContext(context.WithoutCancel(t.Context()), "CREATE DATABASE "+name)
	check(t, errors.Join(err, db.Close()))
	return postgres.address(name)
}
