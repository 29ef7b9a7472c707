package examples_test

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/tooltest"
)

// minimal is an example of a partner in another language than Go.
type minimal struct {
	language string
	needs    tooltest.Tool
	builds   [][]string // commands, in the partner's folder
	starts   []string
}

var minimalPartners = []minimal{
	{"python", tooltest.PythonAiohttp, nil, []string{tooltest.Python, "main.py"}},
	{"typescript", tooltest.NPM, [][]string{npmCI, {"npm", "run", "-s", "build"}}, []string{"node", "dist/main.js"}},
}

// start builds and starts the partner. It skips the test if the tools are not installed.
func (m minimal) start(t testing.TB, key string) (address string) {
	t.Helper()
	tooltest.Require(t, m.needs)
	folder := t.TempDir()
	check(t, os.CopyFS(folder, source{os.DirFS("minimal-partner-" + m.language)}))
	for _, step := range m.builds {
		run(t, folder, nil, step...)
	}
	return serve(t, folder, key, m.starts...)
}

// The suite finds no failures in partners in other languages. SOAK uses the suite's standard depth.
func TestMinimalPartnersInOtherLanguagesAreConformant(t *testing.T) {
	t.Parallel()
	conformance := filepath.Join(commands(t), "conformance")
	depth := "quick"
	if os.Getenv("SOAK") != "" {
		depth = "standard"
	}
	for _, one := range minimalPartners {
		t.Run(one.language, func(t *testing.T) {
			t.Parallel()
			if one.builds != nil {
				takesMinutes(t)
			}
			const key = "a-key-of-this-test"
			address := one.start(t, key)
			reports := t.TempDir()
			run(t, reports, []string{"CONFORMANCE_AUTH_KEY=" + key}, conformance, "run", "--base-url", address, "--handles-ticket-delivery", "--depth", depth, "--report-dir", reports)
			judged := report.Result{}
			text, err := os.ReadFile(filepath.Join(reports, "report.json"))
			if err == nil {
				err = json.Unmarshal(text, &judged)
			}
			check(t, err)
			if passed := judged.Summary[report.Passed]; passed < 60 {
				t.Errorf("want at least 60 rules passed, got %d", passed)
			}
			for _, rule := range judged.Rules {
				// The duration of answers depends on the machine's other work.
				if rule.Outcome == report.Warned && !strings.HasPrefix(rule.Clause, "LIM") {
					t.Errorf("want no warning, got %s: %s", rule.ID, rule.Message)
				}
			}
		})
	}
}

// takesMinutes skips the test unless make journeys or make soak runs it.
func takesMinutes(t *testing.T) {
	t.Helper()
	if os.Getenv("JOURNEYS")+os.Getenv("SOAK") == "" {
		t.Skip("takes minutes: run make journeys")
	}
}

// serve starts a partner on a free port and waits until it answers. The partner stops with the
// test.
func serve(t testing.TB, folder, key string, command ...string) (address string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	check(t, free.Close())
	address, _ = serveAt(t, port, folder, key, command...)
	return address
}

// serveAt starts a partner on a port and waits until it answers. The partner stops with the test,
// or when stop is called.
func serveAt(t testing.TB, port int, folder, key string, command ...string) (address string, stop func()) {
	t.Helper()
	address = "http://127.0.0.1:" + strconv.Itoa(port)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	check(t, err)
	process := exec.Command(command[0], command[1:]...)
	process.Dir, process.Stdout, process.Stderr = folder, log, log
	process.Env = append(os.Environ(), "PARTNER_AUTH_KEY="+key, "PORT="+strconv.Itoa(port))
	check(t, process.Start())
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	stop = sync.OnceFunc(func() {
		_ = process.Process.Signal(syscall.SIGTERM) // it may have ended already
		<-ended
		_ = log.Close()
	})
	t.Cleanup(stop)
	look, late := time.NewTicker(20*time.Millisecond), time.After(patience)
	defer look.Stop()
	for {
		answer, err := http.Get(address)
		if err == nil {
			_ = answer.Body.Close()
			return address, stop
		}
		select {
		case err := <-ended:
			ended <- err
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("%s ended: %v\n%s", strings.Join(command, " "), err, text)
		case <-late:
			t.Fatalf("%s does not answer: %v", strings.Join(command, " "), err)
		case <-look.C:
		}
	}
}
