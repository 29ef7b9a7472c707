package examples_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas/partnerapi"
)

// recipe is a section of docs/cookbook.md: the command that starts the mock, calls, and
// the expected result.
type recipe struct {
	title, scenario, start, calls, comes string
}

var (
	section = regexp.MustCompile(`(?s)\n### (.*?)\n(.*?)(?:\n##|$)`)
	linked  = regexp.MustCompile(`\]\(\.\./examples/cookbook/([a-z0-9-]+)\.yaml\)`)
	fenced  = regexp.MustCompile("(?s)```(?:sh|text)\n(.*?)```")
)

func recipes(t *testing.T) (all []recipe) {
	t.Helper()
	page, err := os.ReadFile(sourcetest.Path("docs/cookbook.md"))
	check(t, err)
	// A match would include the start of the next section, so each part is matched separately.
	for _, part := range strings.Split(string(page), "\n##")[1:] {
		found := section.FindStringSubmatch("\n##" + part)
		if found == nil {
			continue
		}
		file, blocks := linked.FindStringSubmatch(found[2]), fenced.FindAllStringSubmatch(found[2], -1)
		if file == nil || len(blocks) != 3 {
			t.Fatalf("%s: want a link to its file, a command that starts the mock, calls and the expected result", found[1])
		}
		all = append(all, recipe{found[1], file[1], blocks[0][1], blocks[1][1], blocks[2][1]})
	}
	return all
}

// A mock with a recipe's scenario behaves as the recipe says.
func TestEveryRecipeOfTheCookbookShowsWhatItSays(t *testing.T) {
	t.Parallel()
	tooltest.Require(t, tooltest.Curl)
	for _, r := range recipes(t) {
		t.Run(r.scenario, func(t *testing.T) {
			t.Parallel()
			if got := r.follow(t); !shows(got, r.comes) {
				t.Errorf("%s: want\n%s\ngot\n%s", r.title, r.comes, got)
			}
		})
	}
}

func TestEveryFileOfTheCookbookHasARecipeAndSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("cookbook/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("want twenty scenarios or more, got %d, %v", len(files), err)
	}
	all := recipes(t)
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		if !slices.ContainsFunc(all, func(r recipe) bool { return r.scenario == name }) {
			t.Errorf("%s: want a recipe in docs/cookbook.md", path)
		}
		text, err := os.ReadFile(path)
		check(t, err)
		comments := 0
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "# ") {
				break
			}
			comments++
		}
		if comments < 2 || comments > 5 {
			t.Errorf("%s: want it to begin with what it shows and what a good marketplace does, in two to five lines, got %d", path, comments)
		}
	}
}

// sold returns the mock's own catalog, which is parsed once.
var sold = sync.OnceValue(catalog.Default)

// patience limits how long a test waits. It is far longer than a busy machine needs.
const patience = 10 * time.Minute

// follow starts a mock as the recipe does, makes the recipe's calls, and returns their output.
func (r recipe) follow(t *testing.T) string {
	t.Helper()
	mock := mocktest.Start(t, r.options(t))
	folder := t.TempDir()
	here, err := os.Getwd()
	check(t, err)
	check(t, os.Symlink(here, filepath.Join(folder, "examples")))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(r.calls, "http://127.0.0.1:8081", mock.URL))
	command.Dir = folder
	printed, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", r.title, err, printed)
	}
	return string(printed)
}

// options returns the mock's options in the recipe's start command.
func (r recipe) options(t *testing.T) mockpartner.Options {
	t.Helper()
	words := strings.Fields(strings.ReplaceAll(r.start, "\\\n", " "))
	flag := func(name string) string {
		if at := slices.Index(words, name); at >= 0 && at+1 < len(words) {
			return words[at+1]
		}
		return ""
	}
	if !slices.Contains(words, "build/mockpartner") || flag("--scenario") != "examples/cookbook/"+r.scenario+".yaml" {
		t.Fatalf("%s: want its file started, got %s", r.title, r.start)
	}
	scenario, err := mockpartner.LoadScenario(filepath.Join("cookbook", r.scenario+".yaml"))
	check(t, err)
	o := mockpartner.Options{AuthKey: flag("--auth-key"), Scenario: scenario}
	if now := flag("--now"); now != "" {
		if o.Now, err = partnerapi.ParseDateTime(now); err != nil {
			t.Fatal(err)
		}
		o.Frozen = true // a busy machine makes the calls minutes later
	}
	if scenario.Catalog == nil {
		o.Catalog = sold()
	}
	if scenario.Webhooks != nil {
		secret, given := strings.CutPrefix(words[0], scenario.Webhooks.SecretEnv+"=")
		if !given {
			t.Fatalf("%s: want %s set, got %s", r.title, scenario.Webhooks.SecretEnv, r.start)
		}
		o.Webhooks.Secret = secret
		o.Webhooks.URL = strings.Replace(flag("--webhook-url"), "http://127.0.0.1:8080", marketplaceThatKnows(t, secret), 1)
	}
	return o
}

// marketplaceThatKnows is a server that accepts webhooks with the secret and refuses others
// (WHK-4).
func marketplaceThatKnows(t *testing.T, secret string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(partnerapi.WebhookSecretHeader) != secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"success":1,"data":{"updated":true}}`))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// seconds matches the seconds of a time. The mock's clock runs, and a busy machine calls it later.
var seconds = regexp.MustCompile(`(T\d\d:\d\d):\d\d`)

// shows reports whether the output is as expected. It ignores white space and seconds, and … matches
// anything.
func shows(printed, expected string) bool {
	bare := func(text string) string {
		return seconds.ReplaceAllString(strings.Join(strings.Fields(text), ""), "$1")
	}
	pieces := strings.Split(bare(expected), "…")
	for i := range pieces {
		pieces[i] = regexp.QuoteMeta(pieces[i])
	}
	return regexp.MustCompile("^" + strings.Join(pieces, ".*?") + "$").MatchString(bare(printed))
}
