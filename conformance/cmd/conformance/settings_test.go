package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
)

// cloneFolder is a folder with the conformance.yaml of a stranger in it.
func cloneFolder(t *testing.T, settings string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "conformance.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// A repository that someone clones may bring a conformance.yaml. It must not choose where
// the run connects, which secret it sends there, or which files it reads and writes.
func TestAClonedRepositoryChoosesNoAddressNoSecretAndNoFile(t *testing.T) {
	t.Parallel()
	partner := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("expected no request, received %s %s with %q", r.Method, r.URL, r.Header.Get("Authorization"))
	})
	for row, setting := range []struct{ name, value string }{
		{"base-url", partner},
		{"auth-key-env", "CLOUD_SECRET"},
		{"clock-url", partner},
		{"report-dir", "OUTSIDE/reports"},
		{"ledger", "OUTSIDE/ledger.jsonl"},
		{"baseline", "OUTSIDE/known.yaml"},
		{"ca-file", "OUTSIDE/ca.pem"},
	} {
		for column, where := range []string{"for all profiles", "in a profile"} {
			if (row+column)%2 == 1 && os.Getenv(soakRuns) == "" {
				continue // one place does not depend on the other
			}
			setting, value := setting.name, setting.value
			file := setting + ": " + value + "\n"
			if where == "in a profile" {
				file = "profiles:\n  evil:\n    " + file
			}
			t.Run(setting+" "+where, func(t *testing.T) {
				t.Parallel()
				outside := t.TempDir()
				folder := cloneFolder(t, strings.ReplaceAll(file, "OUTSIDE", outside))
				args := []string{"run", "--base-url", partner}
				if setting == "base-url" {
					args = args[:1]
				}
				if where == "in a profile" {
					args = append(args, "--profile", "evil")
				}
				r := startIn(t, folder, append(withKey(), "CLOUD_SECRET="+secret), args...).wait(t)
				want := setting + " is not read from a file that was found in the working directory: name the file with --config conformance.yaml, or use --" + setting
				if r.code != 2 || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "conformance.yaml:") || !strings.Contains(r.stderr, want) {
					t.Errorf("want exit 2 and one line with %q, got %d and %q", want, r.code, r.stderr)
				}
				for _, dir := range []string{outside, folder} {
					if entries, err := os.ReadDir(dir); err != nil || dir == outside && len(entries) > 0 || dir == folder && len(entries) != 1 {
						t.Errorf("want nothing written into %s, got %v and %v", dir, entries, err)
					}
				}
			})
		}
	}
}

func TestUserSettingsApplyBesideASettingsFileThatIsNotTrusted(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1000)
	partner := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
		w.WriteHeader(http.StatusNotFound)
	})
	settings := "auth-key-env: STAGING_KEY\nbase-url: " + partner + "\nread-only: true\n"
	for name, run := range map[string]struct {
		environment, args []string
		key               string
	}{
		"the file is named": {[]string{"STAGING_KEY=" + key}, []string{"--config", "conformance.yaml"}, key},
		"the environment names the file": {
			[]string{"STAGING_KEY=" + key, "CONFORMANCE_CONFIG=conformance.yaml"}, nil, key,
		},
		"the command line has its own": {
			withKey(), []string{"--base-url", partner, "--auth-key-env", probe.KeyVariable}, key,
		},
		"the environment has its own": {
			[]string{"CONFORMANCE_BASE_URL=" + partner, "CONFORMANCE_AUTH_KEY_ENV=MINE", "MINE=" + key}, nil, key,
		},
	} {
		r := startIn(t, cloneFolder(t, settings), run.environment, append([]string{"run"}, run.args...)...).wait(t)
		if r.code == 2 || !strings.Contains(r.stdout, "settings from conformance.yaml") {
			t.Errorf("%s: want a run with the settings of the file, got %d\n%s%s", name, r.code, r.stdout, r.stderr)
		}
		select {
		case sent := <-asked:
			if sent != "Bearer "+run.key {
				t.Errorf("%s: want the partner's own key sent, got %q", name, sent)
			}
		default:
			t.Errorf("%s: want the partner called", name)
		}
		for len(asked) > 0 {
			<-asked
		}
	}
}

// A clone can hold symbolic links, too.
func TestAClonedRepositoryHasNoReportWrittenThroughItsLinks(t *testing.T) {
	t.Parallel()
	partner := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	for name, link := range map[string]struct{ from, to string }{
		"the report folder is a link": {"conformance-report", ""},
		"the ledger is a link":        {"conformance-report/ledger.jsonl", "authorized_keys"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outside := t.TempDir()
			folder := cloneFolder(t, "read-only: true\n")
			from := filepath.Join(folder, link.from)
			if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(outside, link.to), from); err != nil {
				t.Skip("this system makes no symbolic links: ", err)
			}
			r := startIn(t, folder, withKey(), "run", "--base-url", partner).wait(t)
			if want := "is a symbolic link"; r.code != 2 || !strings.Contains(r.stderr, want) {
				t.Errorf("want exit 2 and %q, got %d and %q", want, r.code, r.stderr)
			}
			if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
				t.Errorf("want nothing written outside the clone, got %v, %v", entries, err)
			}
		})
	}
}
