package api_test

import (
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/replica"
)

// Secrets of every kind are sent to every route, in every place where a caller could put them
// by mistake. They appear in no log line, no metric, and only in answers that are meant to
// show them.
func TestNoSecretIsEverPrinted(t *testing.T) {
	t.Parallel()
	kept, log := newJournal(slog.LevelDebug)
	b := setup(t, log, func(c *replica.Config) { c.RateLimit = 0 })
	var tokens auth.Tokens
	b.do(t, "POST", "/api/v1/auth/login", `{"email":"operator@example.com","password":"`+password+`"}`).data(t, &tokens)
	operator := header{"Authorization", "Bearer " + tokens.AccessToken}
	made := b.register(t, operator, "https://partner.example")
	secrets := map[string]string{
		"a password": password, "an access token": tokens.AccessToken, "a refresh token": tokens.RefreshToken, "an API token": b.apiToken(t),
		"a webhook secret": made.Secret, "a partner's key": "partner-key", "a new password": "Pa55-" + uuid.NewString(), "the service's secret": strings.Repeat("s", 32),
	}
	expectNone := func(where, text string) {
		for name, secret := range secrets {
			for _, form := range []string{secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret))} {
				if strings.Contains(text, form) {
					t.Errorf("%s appears in %s: %.600s", name, where, text)
				}
			}
		}
	}
	for _, route := range api.Routes() {
		if route.Path == "/api/v1/auth/refresh" || route.Path == "/api/v1/auth/logout" {
			continue // they would end the session; they are tested below
		}
		for name, secret := range secrets {
			path := route.Path
			for strings.Contains(path, "{") {
				from, rest, _ := strings.Cut(path, "{")
				_, rest, _ = strings.Cut(rest, "}")
				path = from + url.PathEscape(secret) + rest
			}
			escaped := url.QueryEscape(secret)
			bodies := []string{`{"email":"` + secret + `","role":"` + secret + `","name":{"x":"` + secret + `"},"password":"` + secret + `","auth_key":"` + secret + ` ","base_url":"` + secret + `","mode":"` + secret + `"}`, secret}
			if route.Method == http.MethodGet || route.Method == http.MethodDelete {
				bodies = []string{""}
			}
			places := []header{operator, {"Authorization", "Bearer " + secret}, {"X-Api-Token", secret}, {"X-Webhook-Secret", secret}, {"Cookie", "t=" + secret}}
			if len(whoMay[route.Method+" "+route.Path]) == 1 && route.Open {
				places = places[:1] // it reads no header, and a sign-in is expensive
			}
			for i, body := range bodies {
				for _, who := range places[:len(places)-i*(len(places)-1)] {
					_, a := b.sendRequest(t, route.Method, path+"?token="+escaped+"&currency="+escaped+"&page="+escaped, body, who, header{"User-Agent", secret}, header{"Referer", "https://x/?t=" + escaped})
					if a.StatusCode != http.StatusCreated {
						expectNone("the answer of "+route.Method+" "+route.Path+" to "+name, string(a.body))
					}
				}
			}
		}
	}
	for _, path := range []string{"/api/v1/auth/refresh", "/api/v1/auth/logout", "/api/v1/" + tokens.AccessToken} {
		expectNone("the answer of "+path, string(b.ask(t, "POST", path, `{"refresh_token":"`+made.Secret+`"}`).body))
	}
	b.store.Close() // failures are logged with their cause
	b.ask(t, "POST", "/api/v1/auth/login", `{"email":"operator@example.com","password":"`+password+`"}`)
	b.ask(t, "POST", "/api/v1/auth/refresh", `{"refresh_token":"`+tokens.RefreshToken+`"}`)
	b.ask(t, "GET", "/api/v1/resellers/activities", "", header{"X-Api-Token", secrets["an API token"]})
	expectNone("the metrics", b.metrics(t))
	if text := kept.text(); strings.Count(text, `"msg":"request"`) < 500 || !strings.Contains(text, `"msg":"request failed"`) {
		t.Errorf("want a line a request, and failures, got %d bytes", len(text))
	} else {
		for line := range strings.Lines(text) {
			expectNone("the log", line)
		}
	}
	if got := b.accounts[domain.Operator].PasswordHash; strings.Contains(kept.text(), got) {
		t.Error("a password's hash is in the log")
	}
}
