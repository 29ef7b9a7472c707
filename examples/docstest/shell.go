//go:build unix

package docstest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
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
	kept    map[string]int // the process groups of what keeps running, by address
}

// preamble has a block fail with its first command that does, which it names, and curl
// where it is refused.
const preamble = `set -Eeuo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
curl() { command curl -sS --fail-with-body --max-time 120 "$@"; }
`

// newShell starts one in folder.
func newShell(ctx context.Context, folder, scratch string, environment []string) (*shell, error) {
	s := &shell{process: exec.CommandContext(ctx, "bash", "--noprofile", "--norc"), scratch: scratch, kept: map[string]int{}}
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

// keep starts a block that stays, in a process group of its own, in place of the one
// that was at the same address before. It returns the name of the file of its output.
func (s *shell) keep(commands, address string) (output string, err error) {
	if before := s.kept[address]; before != 0 {
		endGroup(before)
	}
	output, err = s.script(commands, `set -m; { ( . %[1]s ) >%[2]s 2>&1 </dev/null || echo "ended with $?" >>%[2]s; } 3>&- & set +m; echo $! >&3`)
	if err != nil {
		return output, err
	}
	told, err := s.ended.ReadString('\n')
	if err != nil {
		return output, errors.New("a command failed")
	}
	s.kept[address], err = strconv.Atoi(strings.TrimSpace(told))
	return output, err
}

// keepAt starts a block that stays, and waits until its address answers.
func (s *shell) keepAt(ctx context.Context, commands, address string) error {
	output, err := s.keep(commands, address)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 5 * time.Second}
	return await(ctx, output, "nobody answers at "+address, func() bool {
		response, err := client.Get("http://" + address)
		if err == nil {
			_ = response.Body.Close()
		}
		return err == nil
	})
}

var exportLine = regexp.MustCompile(`(?m)^\s*(export [A-Z_]+=\S+)$`)

// keepExporting starts a block that stays, and waits until it has printed a line that
// exports the variable. It does what the reader does with all such lines.
func (s *shell) keepExporting(ctx context.Context, commands, variable string) error {
	output, err := s.keep(commands, variable)
	if err != nil {
		return err
	}
	var lines []byte
	err = await(ctx, output, "it prints no export "+variable+"=…", func() bool {
		text, _ := os.ReadFile(output)
		lines = bytes.Join(exportLine.FindAll(text, -1), []byte("\n"))
		return bytes.Contains(lines, []byte("export "+variable+"="))
	})
	if err != nil {
		return err
	}
	_, err = s.run(string(lines)+"\n", 0)
	return err
}

// await waits until something holds. Where it does not, the error has what was printed.
func await(ctx context.Context, output, failed string, holds func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	for tick := time.NewTicker(50 * time.Millisecond); !holds(); {
		text, _ := os.ReadFile(output)
		if ended := bytes.Contains(text, []byte("ended with ")); ended || ctx.Err() != nil {
			return fmt.Errorf("%s\n%s", failed, text)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// end ends the shell and all that it has started.
func (s *shell) end() {
	for _, group := range s.kept {
		endGroup(group)
	}
	_ = s.stdin.Close()
	_ = syscall.Kill(-s.process.Process.Pid, syscall.SIGTERM)
	_ = s.process.Wait()
	endGroup(s.process.Process.Pid)
}

// endGroup has a process group end, by force after a minute.
func endGroup(group int) {
	_ = syscall.Kill(-group, syscall.SIGTERM)
	deadline := time.Now().Add(time.Minute)
	for tick := time.NewTicker(20 * time.Millisecond); syscall.Kill(-group, 0) == nil; <-tick.C {
		if time.Now().After(deadline) {
			_ = syscall.Kill(-group, syscall.SIGKILL)
			return
		}
	}
}
