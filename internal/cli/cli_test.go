package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/errtest"
)

func root() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	made := &cobra.Command{Use: "thing", Short: "Do things", Run: run}
	made.AddCommand(&cobra.Command{Use: "serve", Short: "Serve things", Long: "Serves things.", Run: run, Example: "  thing serve"})
	cli.Prepare(made, "; see %s --help", "; %s --help lists the flags")
	return made
}

func TestACommandPrintsItsVersionAndHowItWasBuilt(t *testing.T) {
	t.Parallel()
	command, out := root(), bytes.Buffer{}
	command.SetArgs([]string{"--version"})
	command.SetOut(&out)
	check(t, command.Execute())
	if want := "thing " + cli.Version(); !strings.HasPrefix(out.String(), want) || !strings.Contains(out.String(), runtime.Version()) {
		t.Errorf("want %s and Go's version, got %q", want, out.String())
	}
}

func TestEveryCommandHasItsManPage(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "man")
	command := root()
	command.SetArgs([]string{"man", folder})
	check(t, command.Execute())
	for name, want := range map[string]string{"thing.1": "Do things", "thing-serve.1": "Serves things."} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: want %q, got %q, %v", name, want, text, err)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "thing-man.1")); err == nil {
		t.Error("want no page of what is hidden")
	}
}

func TestAServiceIsHealthyWhileItSaysSo(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	addr := strings.TrimPrefix(service.URL, "http://")
	ask := func(addr string) error {
		command := cli.NewHealth(&cobra.Command{Use: "health"}, "", "", "/healthz", "it is up")
		command.SetOut(io.Discard)
		command.SetErr(io.Discard)
		command.SetArgs([]string{"--addr", addr})
		return command.ExecuteContext(t.Context())
	}
	for _, up := range []string{addr, "0.0.0.0:" + addr[strings.LastIndex(addr, ":")+1:]} {
		if err := ask(up); err != nil {
			t.Errorf("%s: want the service found healthy on this machine, got %v", up, err)
		}
	}
	status = http.StatusServiceUnavailable
	fails := func(addr, want string) {
		t.Helper()
		if err := ask(addr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", addr, want, err)
		}
	}
	fails(addr, "it answered 503")
	service.Close()
	fails(addr, "the service does not answer")
	fails("8080", `--addr: expected host:port, such as 127.0.0.1:8080, received "8080"`)
	fails("a b:80", "--addr: expected host:port")
}

// check ends the test on an error.
var check = errtest.Check
