package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"partnerkit.dev/internal/callerrules"
	"partnerkit.dev/mockpartner/client"
)

// attack is a text that clears a terminal, rings, and reverses what follows.
const attack = "\x1b[2J\x07\u202e\u2066\r\x9b"

func TestATextOfAStrangerControlsNoTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	quoted, err := json.Marshal(attack)
	if err != nil {
		t.Fatal(err)
	}
	inJSON := strings.Trim(string(quoted), `"`)
	verdict, err := json.Marshal(client.Verdict{Verdict: client.Broken, Notes: []string{attack}, Rules: []client.Judgement{
		{Rule: callerrules.Rule{ID: "x" + attack, Title: attack}, Verdict: client.Broken, Findings: []client.Finding{{Message: attack + "\nforged"}}},
		{Rule: callerrules.Rule{ID: attack}, Verdict: client.NotJudged, Reason: attack},
	}})
	if err != nil {
		t.Fatal(err)
	}
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(verdict) }))
	t.Cleanup(stranger.Close)
	catalog := strings.ReplaceAll(`{"startedDateTime":"2026-07-01T12:00:00Z","time":1,"request":{"method":"GET","url":"https://a.example/products","headers":[]},"response":{"status":200,"content":{"text":"[{\"id\":\"p@\",\"title\":\"@\",\"timeZone\":\"@\",\"options\":[]}]"}}}`, "@", strings.ReplaceAll(inJSON, `\`, `\\`))
	for what, args := range map[string][]string{
		"a scenario":                 {"scenario", "check", write("key.yaml", `"`+inJSON+`": 1`)},
		"the name of a scenario":     {"scenario", "check", write("name"+"\x1b[2J\u202e.yaml", "seed: 1")},
		"a verdict":                  {"verdict", "--url", stranger.URL},
		"an error of a verdict":      {"verdict", "--url", "http://127.0.0.1:1/" + "\u202e"},
		"a recording":                {"learn", "--har", write("a.har", catalog), "--out", filepath.Join(dir, "twin.yaml")},
		"an error about a recording": {"learn", "--har", write("b.har", strings.ReplaceAll(catalog, "startedDateTime\":\"", "startedDateTime\":\""+inJSON)), "--out", filepath.Join(dir, "twin.yaml")},
	} {
		got := finish(t, args...)
		for _, r := range got.stdout + got.stderr {
			if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf) {
				t.Errorf("%s: expected no %U, received %q", what, r, got.stdout+got.stderr)
				break
			}
		}
		if strings.Contains(got.stdout, "\nforged") {
			t.Errorf("%s: expected no line of a stranger, received %q", what, got.stdout)
		}
	}
}
