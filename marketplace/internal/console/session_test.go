package console_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/replica"
)

func TestOnlyOperatorsSignIn(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.visitor()
	v.shows(v.get("/console"), 200, "Sign in", `value="/console/"`)
	v.shows(v.get("/console/integrations?page=2"), 200, "Sign in", `value="/console/integrations?page=2"`)
	v.shows(v.post("/console/signin", "email", "operator@example.com", "password", "a guess"), 401, "Wrong email address or password", `value="operator@example.com"`)
	for _, role := range []string{"reseller", "affiliate", "partner"} {
		v.shows(v.post("/console/signin", "email", role+"@example.com", "password", password), 403, "for operators only")
		v.shows(v.get("/console/"), 200, "<h1>marketplace", `name="password"`)
	}
	p := v.post("/console/signin", "email", "operator@example.com", "password", password, "to", "/console/integrations?page=2")
	if v.shows(p, 200, "operator@example.com", "Sign out"); p.address != "/console/integrations?page=2" {
		t.Errorf("want to be where the way began, got %s", p.address)
	}
	v.shows(v.post("/console/signout"), 200, `name="password"`)
	v.shows(v.get("/console/"), 200, `name="password"`)
}

func TestASignInLeadsToPagesOfThisSiteOnly(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, to := range []string{"https://evil.example/console/", "//evil.example/console/", "/console/../healthz", `/\evil.example`, "javascript:alert(1)", "/api/v1/openapi.yaml", "/consolex", "/console/signout"} {
		v := s.visitor()
		if p := v.post("/console/signin", "email", "operator@example.com", "password", password, "to", to); p.address != "/console/" && !strings.HasPrefix(p.address, "/console/") {
			t.Errorf("%s: want to come to the console, got %s", to, p.address)
		}
	}
}

func TestASignInEndsImmediatelyWhenThePasswordChangesOrTheAccountIsDisabled(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{"a lock": `{"disabled":true}`, "a new password": `{"password":"another kettle skates"}`} {
		s := open(t)
		v := s.operator()
		second := call[struct {
			ID string `json:"_id"`
		}](s, domain.Operator, "POST", "/operator/accounts", `{"email":"bo@example.com","password":"`+password+`","role":"operator"}`)
		bo := s.visitor()
		bo.shows(bo.post("/console/signin", "email", "bo@example.com", "password", password), 200, "bo@example.com")
		call[any](s, domain.Operator, "PATCH", "/operator/accounts/"+second.ID, change)
		if p := bo.get("/console/integrations"); !strings.Contains(p.text, "Your session has ended") {
			t.Errorf("%s: want the sign-in ended, got %s", name, p.text)
		}
		v.shows(v.get("/console/integrations"), 200, "Sign out")
	}
}

// Its page's stream of progress would otherwise show the run on.
func TestASignOutEndsTheStreamsOfItsPages(t *testing.T) {
	t.Parallel()
	s := open(t, func(c *replica.Config) { c.Stream = time.Hour })
	made, ana := s.registerStocked(), s.enter("/partners", "partner@example.com", password)
	request, err := http.NewRequestWithContext(t.Context(), "GET", s.address+"/partners/integrations/"+made.ID+"/runs/"+run(ana, made.ID)+"/progress", nil)
	errtest.Check(t, err)
	stream, err := ana.client.Do(request)
	errtest.Check(t, err)
	defer stream.Body.Close()
	if _, err := io.ReadFull(stream.Body, make([]byte, 1)); err != nil || stream.StatusCode != 200 {
		t.Fatalf("Expected a stream, received %d and %v", stream.StatusCode, err)
	}
	ana.post("/partners/signout")
	if _, err := io.Copy(io.Discard, stream.Body); err != nil { // it would take an hour
		t.Errorf("Expected the stream to end, received %v", err)
	}
}

func TestASignInLastsADaysWorkAndIsTheBrowsersAlone(t *testing.T) {
	t.Parallel()
	s := open(t)
	v := s.operator()
	s.ahead.Add(int64(12*time.Hour - time.Second))
	v.shows(v.get("/console/"), 200, "Sign out")
	s.ahead.Add(int64(time.Second))
	v.shows(v.post("/console/integrations/x/sync"), 200, "Your session has ended", "Nothing was saved")

	cookies := func(secure bool) string {
		s := open(t, func(c *replica.Config) { c.Secure = secure })
		request, err := http.NewRequestWithContext(t.Context(), "POST", s.address+"/console/signin", strings.NewReader(url.Values{"email": {"operator@example.com"}, "password": {password}}.Encode()))
		errtest.Check(s.t, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := http.DefaultTransport.RoundTrip(request)
		errtest.Check(s.t, err)
		defer response.Body.Close()
		return strings.Join(response.Header["Set-Cookie"], "\n")
	}
	for _, c := range []struct {
		secure bool
		want   []string
	}{
		{false, []string{"console-session=", "; Path=/; ", "Max-Age=43200", "HttpOnly", "SameSite=Lax"}},
		{true, []string{"__Host-console-session=", "; Path=/; ", "Max-Age=43200", "HttpOnly", "SameSite=Lax", "Secure"}},
	} {
		got := cookies(c.secure)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("secure %t: want %q in %q", c.secure, want, got)
			}
		}
		if !c.secure && strings.Contains(got, "Secure") {
			t.Errorf("want a cookie for http, got %q", got)
		}
	}
}

func TestPasswordGuessingIsRateLimited(t *testing.T) {
	t.Parallel()
	v := open(t).visitor()
	for range 10 {
		v.shows(v.post("/console/signin", "email", "operator@example.com", "password", "a guess"), 401)
	}
	p := v.post("/console/signin", "email", "operator@example.com", "password", password)
	if v.shows(p, 429, "Try again in 60 seconds"); p.header.Get("Retry-After") != "60" {
		t.Errorf("want 60 s, got %q", p.header.Get("Retry-After"))
	}
}

func TestAFormOfAnotherSiteIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	v := s.operator()
	for _, site := range []string{"cross-site", "same-site"} {
		v.shows(v.postFrom(site, "/console/integrations/"+made.ID+"/delete"), 403, "did not come from these pages")
	}
	request, err := http.NewRequestWithContext(t.Context(), "POST", s.address+"/console/integrations/"+made.ID+"/delete", strings.NewReader(""))
	errtest.Check(s.t, err)
	request.Header.Set("Origin", "https://evil.example") // as from a browser that sends no other header
	v.shows(v.send(request), 403, "did not come from these pages")
	v.shows(v.get("/console/integrations/"+made.ID), 200, "Old Town Walks")
}

func TestPagesHaveNoScriptsAndCannotBeFramedOrCached(t *testing.T) {
	t.Parallel()
	v := open(t).operator()
	for _, path := range []string{"/console/", "/console/signin", "/console/nothing"} {
		p, scripts := v.get(path), "; script-src 'self'; connect-src 'self'" // for shortcuts and changes
		if path == "/console/signin" {
			scripts = ""
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'" + scripts,
			"X-Frame-Options":         "DENY", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		} {
			if got := p.header.Get(name); got != want {
				t.Errorf("%s: want %s: %s, got %q", path, name, want, got)
			}
		}
		if scripts == "" && strings.Contains(p.text, "<script") {
			t.Errorf("%s: want no script", path)
		}
		for _, never := range []string{"<script>", " style=", " onclick=", "<style"} {
			if strings.Contains(p.text, never) {
				t.Errorf("%s: want no %s", path, never)
			}
		}
		if p.header.Get("X-Request-Id") == "" {
			t.Errorf("%s: want a request id, as all answers have", path)
		}
	}
}

func TestPagesThatDoNotExistSaySo(t *testing.T) {
	t.Parallel()
	v := open(t).operator()
	v.shows(v.get("/console/nothing"), 404, "Page not found")
	v.shows(v.get("/console/integrations/17"), 404, "Integration not found")
	v.shows(v.get("/console/integrations?page=x"), 400, "page: expected a whole number")
	v.shows(v.get("/consolex"), 404, "no such path")
}

// The prices are also loaded while a form is being sent: that must not use up what the next page has to say.
func TestANoteWaitsForThePageThatShowsIt(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.registerStocked()
	v := s.operator()
	found := call[[]client.OperatorActivity](s, domain.Operator, "GET", "/operator/activities?q=lisbon-walk", "")[0]
	at := "/console/activities/" + found.ID
	v.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if saved := v.post(at, "was:admin_price_percentage", "", "admin_price_percentage", "10"); saved.status != http.StatusSeeOther {
		t.Fatalf("Expected to be sent to the page, received %d", saved.status)
	}
	v.shows(v.get(at+"?part=prices&admin_price_percentage=10"), 200, "24.75 EUR")
	if change := v.firstChange("/console/changes"); !strings.Contains(change, "<main ") || strings.Contains(change, "Changed: 1 field.") {
		t.Errorf("Expected the overview's content without the note, received %s", change)
	}
	v.shows(v.get(at), 200, "Changed: 1 field.")
	if again := v.get(at); strings.Contains(again.text, "Changed: 1 field.") {
		t.Error("Expected the note once")
	}
}
