package console_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/internal/browsertest"
	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/tooltest"
)

// lighthouse is the pinned npm package.
const lighthouse = "lighthouse@12.8.2"

// TestLighthouseFindsNothing judges pages by Lighthouse's audits of accessibility and best practices.
// npm downloads Lighthouse once. Without it, the test is skipped, or fails if CI is set. It takes
// minutes, and `make test` checks the accessibility of every page with axe-core, which Lighthouse uses too.
func TestLighthouseFindsNothing(t *testing.T) {
	t.Parallel()
	if os.Getenv("JOURNEYS") == "" {
		t.Skip("takes minutes: run make journeys")
	}
	chrome := browsertest.Path(t)
	command, err := exec.CommandContext(t.Context(), "npx", "--yes", "--package="+lighthouse, "-c", "command -v lighthouse").Output()
	if err != nil {
		tooltest.Require(t, tooltest.NPM)
		tooltest.Skip(t, tooltest.Registry, err)
	}
	s := open(t)
	made := s.registerStocked()
	ana, ops := s.enter("/partners", "partner@example.com", password), s.operator()
	judged := run(ana, made.ID)
	s.finish(s.begin(judged), twiceBooked)
	for _, page := range []struct {
		path string
		as   *visitor // nil: not signed in
	}{
		{"/partners/signin", nil}, {"/console/", ops}, {"/partners/integrations/" + made.ID + "/runs/" + judged, ana},
	} {
		report := filepath.Join(t.TempDir(), "report.json")
		args := []string{s.address + page.path, "--quiet", "--throttling-method=provided", "--disable-full-page-screenshot", "--only-categories=accessibility,best-practices", "--output=json", "--output-path=" + report,
			"--chrome-flags=--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"}
		if page.as != nil {
			request, err := http.NewRequest(http.MethodGet, s.address+page.path, nil)
			errtest.Check(s.t, err)
			var cookies []string
			for _, c := range page.as.client.Jar.Cookies(request.URL) {
				cookies = append(cookies, c.String())
			}
			headers, err := json.Marshal(map[string]string{"Cookie": strings.Join(cookies, "; ")})
			errtest.Check(s.t, err)
			args = append(args, "--extra-headers="+string(headers))
		}
		judge := exec.CommandContext(t.Context(), strings.TrimSpace(string(command)), args...)
		judge.Dir, judge.Env = t.TempDir(), append(os.Environ(), "CHROME_PATH="+chrome)
		if output, err := judge.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", page.path, err, output)
		}
		text, err := os.ReadFile(report)
		errtest.Check(s.t, err)
		var result struct {
			Final      string `json:"finalDisplayedUrl"`
			Categories map[string]struct {
				Score float64 `json:"score"`
			} `json:"categories"`
			Audits map[string]struct {
				Title string   `json:"title"`
				Score *float64 `json:"score"`
			} `json:"audits"`
		}
		errtest.Check(s.t, json.Unmarshal(text, &result))
		if !strings.HasSuffix(result.Final, page.path) || len(result.Categories) != 2 {
			t.Errorf("%s: Expected two categories of this page, received %d of %s", page.path, len(result.Categories), result.Final)
		}
		for name, category := range result.Categories {
			t.Logf("%s: %s %.2f", page.path, name, category.Score)
			if category.Score != 1 {
				t.Errorf("%s: Expected 1.00 for %s, received %.2f", page.path, name, category.Score)
			}
		}
		for name, audit := range result.Audits {
			if audit.Score != nil && *audit.Score < 1 {
				t.Logf("%s: %s %.2f: %s", page.path, name, *audit.Score, audit.Title)
			}
		}
	}
}
