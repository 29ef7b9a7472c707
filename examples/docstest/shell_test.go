//go:build unix

package docstest

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// opened is a shell in a folder of its own.
func opened(t *testing.T) *shell {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash here")
	}
	s, err := newShell(t.Context(), t.TempDir(), t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	return s
}

func TestBlocksShareAShellAndTellWhatTheyPrint(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for _, block := range []struct {
		commands string
		exits    int
		want     string
	}{
		{"greeting=hello; mkdir there; cd there", 0, ""},
		{"echo $greeting $(basename $PWD)", 0, "hello there\n"},
		{"echo no >&2; exit 3", 3, "no\n"},
		{"false || echo $greeting | cat", 0, "hello\n"},
	} {
		if got, err := s.run(block.commands, block.exits); err != nil || got != block.want {
			t.Errorf("%s: want %q, got %q, %v", block.commands, block.want, got, err)
		}
	}
	if got, err := s.run("true", 1); err == nil || !strings.Contains(err.Error(), "want exit code 1, got 0") {
		t.Errorf("want the code held to, got %q, %v", got, err)
	}
}

func TestABlockFailsWithItsFirstCommandThatDoes(t *testing.T) {
	t.Parallel()
	for _, failing := range []string{"false", "false | true", "echo $nothing", "ls /none"} {
		got, err := opened(t).run("echo before\n"+failing+"\necho after", 0)
		if err == nil || !strings.Contains(got, "before") || strings.Contains(got, "after") {
			t.Errorf("%s: want it to fail there, got %q, %v", failing, got, err)
		}
	}
}

func TestWhatKeepsRunningEndsWhenItsPlaceIsTakenAndWithTheDocument(t *testing.T) {
	t.Parallel()
	s := opened(t)
	alive := func(file string) bool {
		text, _ := os.ReadFile(s.process.Dir + "/" + file)
		return exec.Command("kill", "-0", strings.TrimSpace(string(text))).Run() == nil
	}
	for _, file := range []string{"first", "second"} {
		if err := s.keepExporting(t.Context(), "echo $BASHPID >"+file+"; echo '  export TOKEN="+file+"'; sleep 600", "TOKEN"); err != nil {
			t.Fatal(err)
		}
		if got, err := s.run("echo $TOKEN", 0); err != nil || got != file+"\n" || !alive(file) {
			t.Errorf("want %s running and its token exported, got %q, %v", file, got, err)
		}
	}
	if alive("first") {
		t.Error("want the first ended when the second has taken its place")
	}
	s.end()
	if alive("second") {
		t.Error("want the second ended with the document")
	}
}

func TestWhatEndsInsteadOfListeningIsTold(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := listener.Addr().String()
	_ = listener.Close()
	if err := opened(t).keepAt(t.Context(), "echo the port is taken; exit 4", free); err == nil || !strings.Contains(err.Error(), "the port is taken\nended with 4") {
		t.Errorf("want its last words, got %v", err)
	}
}
