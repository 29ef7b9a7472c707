package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

// inRegistry returns the names in the public registry, by a query.
func (b *bench) inRegistry(t *testing.T, query string) (names []string) {
	t.Helper()
	var list []client.RegistryEntry
	b.do(t, "GET", "/registry.json"+query, "").data(t, &list)
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

// revokedList returns the revoked integrations of the signed list, which its key verifies, with their reasons.
func (b *bench) revokedList(t *testing.T) map[string]string {
	t.Helper()
	var keys jose.JSONWebKeySet
	must(t, json.Unmarshal(b.do(t, "GET", "/.well-known/jwks.json", "").body, &keys))
	signed, err := jose.ParseSignedCompact(string(b.do(t, "GET", "/registry/revocations.jws", "").body), []jose.SignatureAlgorithm{jose.EdDSA})
	must(t, err)
	header := signed.Signatures[0].Protected
	text, err := signed.Verify(keys.Key(header.KeyID)[0])
	must(t, err)
	var content struct {
		Issued  int64 `json:"iat"`
		Expires int64 `json:"exp"`
		Revoked []struct {
			Subject string `json:"sub"`
			Before  int64  `json:"before"`
			Reason  string `json:"reason"`
		} `json:"revoked"`
	}
	must(t, json.Unmarshal(text, &content))
	if header.ExtraHeaders[jose.HeaderType] != "conformance-revocations+jwt" || content.Expires-content.Issued != 24*60*60 || content.Revoked == nil {
		t.Errorf("Expected a list that is valid for a day, received %v %s", header.ExtraHeaders, text)
	}
	reasons := map[string]string{}
	for _, r := range content.Revoked {
		if reasons[r.Subject] = r.Reason; time.Since(time.Unix(r.Before, 0)) > time.Hour {
			t.Errorf("Expected the second of the end, received %d", r.Before)
		}
	}
	return reasons
}

func TestAPartnerJoinsAndLeavesTheRegistry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, domain.Partner)
	id := b.register(t, partner, "https://partner.example").ID
	own, badge, statement := integrationsPath+id+"/registry", "/registry/"+id+"/badge.svg", "/registry/"+id+"/certificate.jws"
	b.certify(t, id)
	if names := b.inRegistry(t, ""); names != nil {
		t.Errorf("Expected a partner that did not ask to be shown to be absent, received %q", names)
	}
	for _, path := range []string{badge, statement} {
		wantProblem(t, b.do(t, "GET", path, ""), 404, "entry not found")
	}
	for range 2 {
		var shown client.Integration
		if b.do(t, "PUT", own, "", partner).data(t, &shown); !shown.InRegistry {
			t.Error("Expected the integration in the registry")
		}
	}
	if names := b.inRegistry(t, "?name=old%20TOWN%20walks"); !slices.Equal(names, []string{"Old Town Walks"}) {
		t.Errorf("Expected the partner by its name, ignoring case, received %q", names)
	}
	if names := b.inRegistry(t, "?name=Old"); names != nil {
		t.Errorf("Expected no partner by a part of its name, received %q", names)
	}
	for path, wants := range map[string][]string{
		"/registry": {"text/html; charset=utf-8", "Old Town Walks", "https://partner.example"}, "/registry?q=town": {"text/html; charset=utf-8", "Old Town Walks"}, "/registry?q=none": {"text/html; charset=utf-8", "No certified partner has “none”"},
		badge: {"image/svg+xml", "conformant until " + time.Now().Add(time.Hour).UTC().Format(time.DateOnly), `role="img"`}, statement: {"application/jose", "a.ey"},
	} {
		a := b.do(t, "GET", path, "")
		for _, want := range wants[1:] {
			if !strings.Contains(string(a.body), want) {
				t.Errorf("%s: Expected %q, received %s", path, want, a.body)
			}
		}
		if a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != wants[0] || a.Header.Get("Cache-Control") != "public, max-age=60" {
			t.Errorf("%s: Expected %s that caches keep for a minute, received %d %v", path, wants[0], a.StatusCode, a.Header)
		}
	}
	if a := b.doRaw(t, "GET", "/registry?utm_source=mail"); a.StatusCode != http.StatusOK {
		t.Errorf("Expected the page to ignore what others add to its address, received %d", a.StatusCode)
	}
	b.do(t, "PATCH", integrationsPath+id, `{"name":"Somebody Else"}`, partner)
	if names := b.inRegistry(t, ""); !slices.Equal(names, []string{"Old Town Walks"}) {
		t.Errorf("Expected the name that was signed, received %q", names)
	}
	for range 2 {
		var shown client.Integration
		if b.do(t, "DELETE", own, "", b.signIn(t, domain.Operator)).data(t, &shown); shown.InRegistry {
			t.Error("Expected the integration to have left the registry")
		}
	}
	if names := b.inRegistry(t, ""); names != nil {
		t.Errorf("Expected it gone, received %q", names)
	}
	wantProblem(t, b.do(t, "GET", badge, ""), 404)
	if revoked := b.revokedList(t); len(revoked) > 0 {
		t.Errorf("Expected leaving the registry to revoke nothing, received %v", revoked)
	}
}

func TestAnIntegrationInTestModeDoesNotJoinTheRegistry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, domain.Partner)
	var made registered
	b.do(t, "POST", "/api/v1/partner-integrations", `{"name":"Walks","mode":"test","base_url":"https://partner.example","auth_key":"k"}`, partner).data(t, &made)
	wantProblem(t, b.do(t, "PUT", integrationsPath+made.ID+"/registry", "", partner), 409, "test mode")
	if a := b.do(t, "DELETE", integrationsPath+made.ID+"/registry", "", partner); a.StatusCode != http.StatusOK {
		t.Errorf("Expected that leaving is idempotent, received %d", a.StatusCode)
	}
}

func TestAnEndedCertificateLeavesTheRegistryAndIsRevoked(t *testing.T) {
	t.Parallel()
	for reason, end := range map[string]func(b *bench, id string, partner header){
		"breach": func(b *bench, id string, _ header) { b.storeFinishedRun(t, id) },
		"settings_changed": func(b *bench, id string, partner header) {
			b.do(t, "PATCH", integrationsPath+id, `{"handles_ticket_delivery":true}`, partner)
		},
		"deleted": func(b *bench, id string, partner header) { b.do(t, "DELETE", integrationsPath+id, "", partner) },
		"": func(b *bench, _ string, _ header) {
			pgtest.Exec(t, b.store, `UPDATE conformance_certificates SET valid_until = now()`)
		},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			partner := b.signIn(t, domain.Partner)
			id := b.register(t, partner, "https://partner.example").ID
			b.certify(t, id)
			b.do(t, "PUT", integrationsPath+id+"/registry", "", partner)
			end(b, id, partner)
			if names := b.inRegistry(t, ""); names != nil {
				t.Errorf("Expected it gone, received %q", names)
			}
			wantProblem(t, b.do(t, "GET", "/registry/"+id+"/certificate.jws", ""), 404)
			if a := b.do(t, "GET", "/registry/"+id+"/badge.svg", ""); reason == "deleted" {
				wantProblem(t, a, 404)
			} else if text := string(a.body); !strings.Contains(text, "not certified") || strings.Contains(text, "conformant until") {
				t.Errorf("Expected a badge that says so, received %s", text)
			}
			if got := b.revokedList(t); got[id] != reason {
				t.Errorf("Expected %q as the reason, received %v", reason, got)
			}
			// The revocation outlives the certificate, until nothing that it revokes would be valid.
			pgtest.Exec(t, b.store, `DELETE FROM conformance_certificates`)
			if got := b.revokedList(t); reason != "" && got[id] != reason {
				t.Errorf("Expected %q to be kept, received %v", reason, got)
			}
			for _, after := range []time.Duration{-time.Hour, time.Hour} {
				_, err := b.store.Runs.DropOldRevocations(t.Context(), time.Now().Add(after), 10)
				must(t, err)
				if got := b.revokedList(t); len(got) > 0 != (after < 0) {
					t.Errorf("Expected it kept until then, received %v after %s", got, after)
				}
			}
		})
	}
}

func TestTheRegistryIsReadInPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.certify(t, b.register(t, b.signIn(t, domain.Partner), "https://partner.example").ID)
	pgtest.Exec(t, b.store, `
		INSERT INTO integrations (id, account_id, name, base_url, auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at, mode, in_registry)
		SELECT gen_random_uuid(), account_id, 'Boats ' || n % 990, 'https://p' || n || '.example', auth_type, auth_key, webhook_secret_hash, handles_ticket_delivery, created_at, mode, n % 10 > 0
		FROM integrations, generate_series(1, 1000) n`)
	pgtest.Exec(t, b.store, `
		INSERT INTO conformance_certificates (integration_id, run_id, base_url, auth_type, handles_ticket_delivery, jws, issued_at, valid_until)
		SELECT id, gen_random_uuid(), base_url, auth_type, handles_ticket_delivery, '.' || encode(convert_to(jsonb_build_object('name', name)::text, 'UTF8'), 'base64'), now(), now() + interval '1 hour'
		FROM integrations WHERE name LIKE 'Boats%'`)
	var names []string
	seen := map[string]bool{}
	for cursor, pages := "", 0; ; pages++ {
		var body struct {
			Data       []client.RegistryEntry `json:"data"`
			Pagination struct {
				Next *string `json:"next_cursor"`
			} `json:"pagination"`
		}
		must(t, json.Unmarshal(b.do(t, "GET", "/registry.json?limit=100"+cursor, "").body, &body))
		for _, e := range body.Data {
			names, seen[e.IntegrationID] = append(names, strings.ToLower(e.Name)), true
		}
		if body.Pagination.Next == nil || pages > 20 {
			break
		}
		cursor = "&cursor=" + *body.Pagination.Next
	}
	if len(names) != 900 || len(seen) != 900 || !slices.IsSorted(names) {
		t.Errorf("Expected the 900 that joined, each once and by name, received %d names of %d", len(names), len(seen))
	}
	page := string(b.do(t, "GET", "/registry?q=boats", "").body)
	_, link, _ := strings.Cut(page, `rel="next" href="`)
	link, _, _ = strings.Cut(strings.ReplaceAll(link, "&amp;", "&"), `"`)
	if next := b.do(t, "GET", "/"+link, ""); strings.Count(page, "<li class") != 20 || strings.Count(string(next.body), "<li class") != 20 || !strings.Contains(string(next.body), `rel="first" href="registry?q=boats"`) {
		t.Errorf("Expected 20 on each of two pages, received %d, then %q", strings.Count(page, "<li class"), link)
	}
	for query, word := range map[string]string{
		"?nmae=Boats": "nmae: unknown query parameter", "?page=2": "page: unknown query parameter", "?limit=0": "limit: ", "?limit=101": "limit: ", "?cursor=x": "cursor: expected the next_cursor", "?name=%00": "name: ",
		"?name=a&name=b": "name: expected one value", "?name=" + strings.Repeat("x", 201): "name: expected at most 200",
	} {
		wantProblem(t, b.do(t, "GET", "/registry.json"+query, ""), 400, word)
	}
}
