//go:build unix

package docstest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A shell is the bash that a document's blocks run in.
type shell struct {
	process *exec.Cmd
	scratch string // a folder for its scripts and what they print
	stdin   io.WriteCloser
	ended   *bufio.Reader // a line for each block, with its exit code
	blocks  int
}

// preamble has a block fail with its first command that does, which it names, and curl
// where it is refused.
const preamble = `set -Eeuo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
curl() { command curl -sS --fail-with-body --max-time 120 "$@"; }
`

// newShell starts one in folder.
func newShell(ctx context.Context, folder, scratch string, environment []string) (*shell, error) {
	s := &shell{process: exec.CommandContext(ctx, "bash", "--noprofile", "--norc"), scratch: scratch}
	s.process.Dir, s.process.Env = folder, environment
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.process.Cancel = func() error { return syscall.Kill(-s.process.Process.Pid, syscall.SIGKILL) }
	log, err := os.Create(filepath.Join(scratch, "shell.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.process.Stdout, s.process.Stderr = log, log
	ended, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer tell.Close()
	s.process.ExtraFiles = []*os.File{tell} // its descriptor 3
	s.ended = bufio.NewReader(ended)
	if s.stdin, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	_, err = io.WriteString(s.stdin, preamble)
	return s, err
}

// script writes commands to a file, and has the shell do with it what way says.
func (s *shell) script(commands, way string) (output string, err error) {
	s.blocks++
	name := filepath.Join(s.scratch, fmt.Sprintf("%02d.sh", s.blocks))
	output = name + ".out"
	if err := os.WriteFile(name, []byte(commands), 0o600); err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(s.stdin, way+"\n", name, output)
	return output, err
}

// run runs a block's commands, and returns what they printed. It fails where they end
// with another code than wanted.
func (s *shell) run(commands string, wantExit int) (printed string, err error) {
	way := `. %[1]s >%[2]s 2>&1 </dev/null 3>&-; echo 0 >&3`
	if wantExit != 0 { // in a shell of its own: this one would end
		way = `set +e; trap - ERR; ( . %[1]s ) >%[2]s 2>&1 </dev/null 3>&-; echo $? >&3; set -e; trap 'echo "failed: $BASH_COMMAND" >&2' ERR`
	}
	output, err := s.script(commands, way)
	if err != nil {
		return "", err
	}
	told, err := s.ended.ReadString('\n')
	text, readErr := os.ReadFile(output)
	switch told = strings.TrimSpace(told); {
	case err != nil: // the shell has ended
		return string(text), errors.New("a command failed")
	case told != fmt.Sprint(wantExit):
		return string(text), fmt.Errorf("want exit code %d, got %s", wantExit, told)
	}
	return string(text), readErr
}

// keep runs a block that stays, until address answers.
func (s *shell) keep(ctx context.Context, commands, address string) error {
	output, err := s.script(commands, `{ ( . %[1]s ) >%[2]s 2>&1 </dev/null || echo "ended with $?" >>%[2]s; } 3>&- &`)
	if err != nil {
		return err
	}
	if err := await(ctx, address); err != nil {
		text, _ := os.ReadFile(output)
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

// await waits until somebody listens at address.
func await(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		if connection, err := net.Dial("tcp", address); err == nil {
			return connection.Close()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("nobody listens at %s", address)
		}
	}
}

// end ends the shell and all that it has started.
func (s *shell) end() {
	group := -s.process.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	deadline := time.Now().Add(time.Minute)
	_ = s.stdin.Close()
	_ = s.process.Wait()
	for tick := time.NewTicker(20 * time.Millisecond); syscall.Kill(group, 0) == nil; <-tick.C {
		if time.Now().After(deadline) {
			_ = syscall.Kill(group, syscall.SIGKILL)
		}
	}
}
