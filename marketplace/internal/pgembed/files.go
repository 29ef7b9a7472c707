//go:build unix

package pgembed

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// password returns the password in the file, or creates it. Other users that can open the socket
// need it.
func password(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err == nil && len(text) > 0 {
		return string(text), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read PostgreSQL's password: %w", err)
	}
	made := rand.Text()
	if err := os.WriteFile(path, []byte(made), 0o600); err != nil {
		return "", fmt.Errorf("store PostgreSQL's password: %w", err)
	}
	return made, nil
}

// create creates the database's files once. They are created next to their place and moved, so
// an interrupted start leaves no partial files.
func create(ctx context.Context, commands binaries, o owner, data, password string, disposable bool) error {
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err == nil {
		return nil
	}
	fresh := data + ".new"
	if err := errors.Join(os.RemoveAll(fresh), o.makeOwnFolder(fresh)); err != nil {
		return fmt.Errorf("create PostgreSQL's data folder: %w", err)
	}
	secret := filepath.Join(fresh, "password")
	if err := os.WriteFile(secret, []byte(password), 0o600); err != nil {
		return err
	}
	if o.account != nil {
		if err := os.Chown(secret, int(o.account.Uid), int(o.account.Gid)); err != nil {
			return err
		}
	}
	files := filepath.Join(fresh, "data")
	args := []string{
		"--pgdata", files, "--username", superuser, "--pwfile", secret,
		"--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C",
	}
	if disposable {
		args = append(args, "--no-sync")
	}
	command := exec.CommandContext(ctx, commands.command("initdb"), args...)
	command.Dir, command.Env = fresh, serverEnvironment()
	command.SysProcAttr = o.process()
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("initialize PostgreSQL's data: %w: %s", err, lastOf(string(output)))
	}
	if err := os.Rename(files, data); err != nil {
		return fmt.Errorf("initialize PostgreSQL's data: %w", err)
	}
	return os.RemoveAll(fresh)
}

func lastOf(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return lines[len(lines)-1]
}

// largestLog limits the log at a start, in bytes. A longer one is kept once, as postgresql.log.old.
const largestLog = 16 << 20

// openLog opens PostgreSQL's log, which belongs to the service.
func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > largestLog {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, fmt.Errorf("rotate PostgreSQL's log: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL's log: %w", err)
	}
	return file, nil
}

// lastLine returns the last line of the log and the log's path.
func lastLine(path string) string {
	text, err := os.ReadFile(path)
	switch {
	case err != nil:
		return "its log cannot be read: " + err.Error()
	case len(text) == 0:
		return "see " + path
	}
	return lastOf(string(text)) + " (see " + path + ")"
}
