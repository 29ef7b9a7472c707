package main_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A marketplace's registry, as tests change it.
type aRegistry struct {
	keys, revocations []byte
	name              string // that is asked for; "": any
	entries           []map[string]any
	more              bool
}

func (r aRegistry) serve(t *testing.T) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, asked *http.Request) {
		switch asked.URL.Path {
		case "/.well-known/jwks.json":
			_, _ = w.Write(r.keys)
		case "/registry/revocations.jws":
			_, _ = w.Write(r.revocations)
		case "/registry.json":
			found := r.entries
			if r.name != "" && !strings.EqualFold(asked.URL.Query().Get("name"), r.name) {
				found = []map[string]any{}
			}
			var next any
			if r.more {
				next = "x"
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"success": 1, "data": found, "pagination": map[string]any{"next_cursor": next}})
		default:
			http.NotFound(w, asked)
		}
	})
}

func TestAPartnerIsVerifiedByItsNameInTheRegistry(t *testing.T) {
	t.Parallel()
	const certificates, lists = "conformance-certificate+jwt", "conformance-revocations+jwt"
	private, set := aKey(t, "k-1")
	stranger, _ := aKey(t, "k-1")
	later := time.Now().Add(time.Hour / 2) // a certificate and a list are issued an hour before
	certificate := func(more map[string]any) string { return aCertificate(t, private, "k-1", certificates, later, more) }
	good := certificate(nil)
	issued := later.Add(-time.Hour).Unix()
	revoke := func(list ...any) []byte {
		return []byte(aCertificate(t, private, "k-1", lists, later, map[string]any{"revoked": append([]any{}, list...)}))
	}
	revoked := func(sub string, before int64) any {
		return map[string]any{"sub": sub, "before": before, "reason": "breach"}
	}
	entry := func(integration, certificate string) map[string]any {
		return map[string]any{"integration_id": integration, "name": "Boats", "certificate": certificate}
	}
	none := revoke()
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file, keys := write("certificate.jws", []byte(good)), write("keys.json", set)
	since := "it is revoked since " + time.Unix(issued, 0).UTC().Format(time.RFC3339) + ": breach"
	byName, byFile := []string{"--name", "Boats"}, []string{file}
	for name, c := range map[string]struct {
		registry aRegistry
		args     []string
		code     int
		says     []string
	}{
		"one that is certified":                    {aRegistry{set, none, "Boats", []map[string]any{entry("i-1", good)}, false}, byName, 0, []string{"valid: ", "/registry/i-1/certificate.jws", "states    conformant: Boats at https://partner.example"}},
		"in other letters":                         {aRegistry{set, none, "Boats", []map[string]any{entry("i-1", good)}, false}, []string{"--name", "BOATS"}, 0, []string{"valid: "}},
		"one that is not listed":                   {aRegistry{set, none, "Boats", nil, false}, []string{"--name", "Bo\x1b[2J"}, 1, []string{`not valid: no certified partner is named "Bo`}},
		"two of one name":                          {aRegistry{set, none, "", []map[string]any{entry("i-1", good), entry("i-2", certificate(map[string]any{"sub": "i-2", "base_url": "https://other.example"}))}, false}, byName, 0, []string{"at https://partner.example", "at https://other.example", "2 partners have this name. Compare the addresses."}},
		"more than fit on a page":                  {aRegistry{set, none, "", []map[string]any{entry("i-1", good)}, true}, byName, 0, []string{"More than 100 partners have this name"}},
		"a statement with another name":            {aRegistry{set, none, "", []map[string]any{entry("i-1", certificate(map[string]any{"name": "Goats"}))}, false}, byName, 1, []string{"not valid: ", "it states another name: Goats"}},
		"a statement of another integration":       {aRegistry{set, none, "", []map[string]any{entry("i-2", good)}, false}, byName, 1, []string{"it states another integration: i-1"}},
		"one of two is not valid":                  {aRegistry{set, none, "", []map[string]any{entry("i-1", good), entry("i-2", good)}, false}, byName, 1, []string{"valid: ", "it states another integration"}},
		"a statement of a stranger":                {aRegistry{set, none, "", []map[string]any{entry("i-1", aCertificate(t, stranger, "k-1", certificates, later))}, false}, byName, 1, []string{"it was changed, or signed with another key"}},
		"an entry without a statement":             {aRegistry{set, none, "", []map[string]any{entry("i-1", "")}, false}, byName, 2, []string{"is not a certificate"}},
		"a file":                                   {aRegistry{set, none, "", nil, false}, byFile, 0, []string{"valid: " + file}},
		"a revoked one by its name":                {aRegistry{set, revoke(revoked("i-1", issued)), "", []map[string]any{entry("i-1", good)}, false}, byName, 1, []string{"not valid: ", since}},
		"a revoked file":                           {aRegistry{set, revoke(revoked("i-0", issued), revoked("i-1", issued)), "", nil, false}, byFile, 1, []string{"not valid: " + file, since}},
		"an older one after a newer one was ended": {aRegistry{set, revoke(revoked("i-1", issued+600)), "", nil, false}, byFile, 1, []string{"it is revoked since "}},
		"a newer one after an older one was ended": {aRegistry{set, revoke(revoked("i-1", issued-1)), "", nil, false}, byFile, 0, []string{"valid: "}},
		"another one was revoked":                  {aRegistry{set, revoke(revoked("i-2", issued+600)), "", nil, false}, byFile, 0, []string{"valid: "}},
		"a list that a stranger signed":            {aRegistry{set, []byte(aCertificate(t, stranger, "k-1", lists, later)), "", nil, false}, byFile, 2, []string{"cannot verify: --registry http", "/registry/revocations.jws is not valid: it was changed, or signed with another key"}},
		"a list of an unknown key":                 {aRegistry{set, []byte(aCertificate(t, private, "k-2", lists, later)), "", nil, false}, byFile, 2, []string{"it was signed with a key that --registry does not contain"}},
		"a list that is not signed":                {aRegistry{set, []byte(`{"revoked":[]}`), "", nil, false}, byFile, 2, []string{"cannot verify", "is not a list of revocations: expected a compact JWS"}},
		"a certificate as the list":                {aRegistry{set, []byte(good), "", nil, false}, byFile, 2, []string{"expected the type " + lists}},
		"a list of yesterday":                      {aRegistry{set, []byte(aCertificate(t, private, "k-1", lists, time.Now().Add(-time.Second))), "", nil, false}, byFile, 2, []string{"cannot verify", "is not valid: it expired at "}},
		"a list of tomorrow":                       {aRegistry{set, []byte(aCertificate(t, private, "k-1", lists, later.Add(24*time.Hour))), "", nil, false}, byFile, 2, []string{"is not valid: it is valid only from "}},
		"a list without end":                       {aRegistry{set, []byte(strings.Repeat("x", 16<<20+1)), "", nil, false}, byFile, 2, []string{"expected at most 16777216 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := start(t, nil, append([]string{"verify", "--registry", c.registry.serve(t) + "/"}, c.args...)...).wait(t)
			for _, says := range c.says {
				if got.code != c.code || !strings.Contains(got.stdout+got.stderr, says) || strings.Contains(got.stdout, "\x1b") {
					t.Errorf("Expected exit %d and %q, received exit %d\n%s%s", c.code, says, got.code, got.stdout, got.stderr)
				}
			}
		})
	}
	elsewhere := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(set) })
	leads := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(elsewhere, "127.0.0.1", "localhost", 1), http.StatusFound)
	})
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"offline":                           {[]string{file, "--key", keys, "--revocations", write("none.jws", none)}, 0, "valid: "},
		"offline, revoked":                  {[]string{file, "--key", keys, "--revocations", write("some.jws", revoke(revoked("i-1", issued)))}, 1, since},
		"by a list that is missing":         {[]string{file, "--key", keys, "--revocations", filepath.Join(dir, "nothing")}, 2, "--revocations " + filepath.Join(dir, "nothing") + " cannot be read"},
		"an address that leads elsewhere":   {[]string{file, "--registry", leads}, 2, "it leads to another address, http://localhost"},
		"an address without a registry":     {[]string{file, "--registry", serve(t, http.NotFound)}, 2, "expected 200, received 404"},
		"what is not an address":            {[]string{file, "--registry", "market.example"}, 2, "--registry is invalid: expected the marketplace's address"},
		"a name without a registry":         {[]string{"--name", "Boats"}, 2, "--name needs --registry"},
		"a name and a file":                 {[]string{file, "--name", "Boats", "--registry", elsewhere}, 2, "--name verifies the certificates in the registry"},
		"a registry and keys":               {[]string{file, "--registry", elsewhere, "--key", keys}, 2, "without --key"},
		"revocations without keys":          {[]string{file, "--revocations", keys}, 2, "--revocations needs --key"},
		"a registry for a report":           {[]string{file, "--registry", elsewhere, "--sha256", strings.Repeat("0", 64)}, 2, "--registry is for certificates"},
		"a registry and nothing to look up": {[]string{"--registry", elsewhere}, 2, "expected the path of one report or certificate, received 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := start(t, nil, append([]string{"verify"}, c.args...)...).wait(t); got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.says) {
				t.Errorf("Expected exit %d and %q, received exit %d\n%s%s", c.code, c.says, got.code, got.stdout, got.stderr)
			}
		})
	}
}
