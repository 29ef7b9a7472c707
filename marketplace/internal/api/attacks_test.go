package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/replica"
)

// costlyBodies lists bodies of 1 MiB that once took far longer than others.
func costlyBodies() map[string]string {
	const size = 1 << 20
	nested := func(levels int) string {
		return strings.Repeat(`{"`+strings.Repeat("n", size/levels-20)+`":`, levels) + `"\u0000"` + strings.Repeat("}", levels)
	}
	return map[string]string{
		"NUL below many names":      nested(9000),
		"NUL below long names":      nested(100),
		"NUL below one long name":   nested(1),
		"NUL below many arrays":     strings.Repeat("[", 9000) + `"` + strings.Repeat("n", size-20_000) + `\u0000"` + strings.Repeat("]", 9000),
		"NUL behind many texts":     `{"a":[` + strings.Repeat(`"",`, size/4) + `"\u0000"]}`,
		"NUL in a name":             `{"` + strings.Repeat("n", size-100) + `\u0000":1}`,
		"a long text":               `{"email":"` + strings.Repeat("n", size-100) + `","password":"x"}`,
		"a text that is no number":  `{"email":` + strings.Repeat("7", size-100) + `}`,
		"the same field many times": `{` + strings.Repeat(`"email":{},`, size/12) + `"email":1}`,
	}
}

// Not parallel: what the process allocates meanwhile is counted as the request's.
func TestTheCostOfAnUntrustedBodyIsLinearInItsLength(t *testing.T) {
	b := setup(t)
	for what, body := range costlyBodies() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, a := b.sendRequest(t, http.MethodPost, "/api/v1/auth/login", body)
		runtime.ReadMemStats(&after)
		if a.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: want 400, got %d", what, a.StatusCode)
		}
		if got := (after.TotalAlloc - before.TotalAlloc) / uint64(len(body)); got > 200 { // half of it belongs to the race detector
			t.Errorf("%s: want at most 200 bytes allocated for each that was sent, got %d", what, got)
		}
		if strings.Count(string(a.body), "n") > 200 || len(a.body) > 1000 {
			t.Errorf("%s: want an answer that quotes little, got %d bytes: %.300s", what, len(a.body), a.body)
		}
	}
}

// costlyValues lists values that are costly to judge or to quote. Their texts consist of the letter Q
// and the digit 7, which our own words do not repeat.
func costlyValues() map[string]string {
	const size = 64 << 10
	return map[string]string{
		"a long number": strings.Repeat("7", size), "a long fraction": "0." + strings.Repeat("7", size), "a large exponent": "7e" + strings.Repeat("7", 20),
		"a long text": `"` + strings.Repeat("Q", size) + `"`, "a long text of digits": `"` + strings.Repeat("7", size) + `"`,
		"a long name": `{"` + strings.Repeat("Q", size) + `":{}}`, "a long name above others": `{"` + strings.Repeat("Q", size) + `":{"7":{"7":[]}}}`,
	}
}

func TestNoMessageQuotesMuchOfABodyWhateverItsField(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out thousands of calls, one at a time")
	}
	b := setup(t, func(c *replica.Config) { c.RateLimit = 0 })
	open := b.opener(t)
	for _, op := range theDocument(t).Operations() {
		if op.Body == nil {
			continue
		}
		o := open(op)
		examples, _ := op.Body.Schema["examples"].([]any)
		inEachPlace(append(examples, map[string]any{})[0], func(text string) string { return text }, func(write func(string) string) {
			for what, value := range costlyValues() {
				_, a := b.sendRequest(t, op.Method, o.path, write(value), o.headers...)
				if a.StatusCode < 400 {
					continue
				}
				var problem struct {
					Message string
					Error   []string
				}
				must(t, json.Unmarshal(a.body, &problem))
				for _, message := range append(problem.Error, problem.Message) {
					if quoted := strings.Count(message, "Q") + strings.Count(message, "7"); quoted > 200 || len(message) > 1000 {
						t.Errorf("%s %s: %s: want a message that quotes little, got %d bytes: %.200s", op.Method, op.Path, what, len(message), message)
					}
				}
			}
		})
	}
}

// inEachPlace visits each place in an example of a body. write returns the body with another value in that
// place.
func inEachPlace(example any, write func(string) string, visit func(write func(string) string)) {
	visit(write)
	const mark = "another value"
	below := func(value any, changed any) {
		text, err := json.Marshal(changed)
		if err != nil {
			panic(err)
		}
		inEachPlace(value, func(other string) string { return write(strings.Replace(string(text), `"`+mark+`"`, other, 1)) }, visit)
	}
	switch example := example.(type) {
	case map[string]any:
		for name, value := range example {
			changed := maps.Clone(example)
			changed[name] = mark
			below(value, changed)
		}
	case []any:
		if len(example) > 0 {
			below(example[0], []any{mark})
		}
	}
}

func TestOnlyTrustedProxiesNameTheCallersAddress(t *testing.T) {
	t.Parallel()
	networks := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	usual, standard := "X-Forwarded-For", "Forwarded"
	for name, c := range map[string]struct {
		trusted []netip.Prefix
		from    string
		headers http.Header
		want    string
	}{
		"no proxy is trusted":             {nil, "10.0.0.1:7", http.Header{usual: {"192.0.2.1"}}, "10.0.0.1:7"},
		"a caller's own word":             {networks, "192.0.2.9:7", http.Header{usual: {"192.0.2.1"}}, "192.0.2.9:7"},
		"one proxy":                       {networks, "10.0.0.1:7", http.Header{usual: {"192.0.2.1"}}, "192.0.2.1:0"},
		"an address that is mapped":       {networks, "[::ffff:10.0.0.1]:7", http.Header{usual: {"192.0.2.1"}}, "192.0.2.1:0"},
		"what stands left is anybody's":   {networks, "10.0.0.1:7", http.Header{usual: {"198.51.100.1, 192.0.2.1"}}, "192.0.2.1:0"},
		"two proxies":                     {networks, "10.0.0.1:7", http.Header{usual: {"198.51.100.1, 192.0.2.1, 10.0.0.2"}}, "192.0.2.1:0"},
		"two lines":                       {networks, "10.0.0.1:7", http.Header{usual: {"198.51.100.1", "192.0.2.1"}}, "192.0.2.1:0"},
		"proxies alone":                   {networks, "10.0.0.1:7", http.Header{usual: {"10.0.0.3, 10.0.0.2"}}, "10.0.0.3:0"},
		"no address":                      {networks, "10.0.0.1:7", http.Header{usual: {"192.0.2.1, unknown"}}, "10.0.0.1:0"},
		"with a port":                     {networks, "10.0.0.1:7", http.Header{usual: {"192.0.2.1:4711"}}, "192.0.2.1:0"},
		"nothing":                         {networks, "10.0.0.1:7", http.Header{}, "10.0.0.1:7"},
		"IPv6":                            {networks, "[fd00::1]:7", http.Header{usual: {"2001:db8::1"}}, "[2001:db8::1]:0"},
		"the standard's header":           {networks, "10.0.0.1:7", http.Header{standard: {`for=198.51.100.1, For="[2001:db8::1]:4711";proto=https`}}, "[2001:db8::1]:0"},
		"the standard's, hidden":          {networks, "10.0.0.1:7", http.Header{standard: {`for=_hidden`}}, "10.0.0.1:0"},
		"both, of one mind":               {networks, "10.0.0.1:7", http.Header{usual: {"192.0.2.1"}, standard: {"for=192.0.2.1"}}, "192.0.2.1:0"},
		"both, of which one is made up":   {networks, "10.0.0.1:7", http.Header{usual: {"192.0.2.1"}, standard: {"for=192.0.2.2"}}, "10.0.0.1:7"},
		"both, of which one is no proxys": {networks, "10.0.0.1:7", http.Header{usual: {"192.0.2.1, 10.0.0.2"}, standard: {"for=192.0.2.1"}}, "192.0.2.1:0"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Header = c.from, c.headers
		if got := api.Remote(c.trusted, r); got != c.want {
			t.Errorf("%s: want %s, got %s", name, c.want, got)
		}
	}
}

func TestFailedSignInsAreCountedByTheAddressBehindTheProxy(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	guess := func(from string) answer {
		return b.ask(t, "POST", "/api/v1/auth/login", `{"email":"`+uuid.NewString()+`@example.com","password":"a guess"}`, header{"X-Forwarded-For", "198.51.100.7, " + from})
	}
	for range 30 {
		wantProblem(t, guess("192.0.2.1"), 401)
	}
	wantProblem(t, guess("192.0.2.1"), 429, "rate limit exceeded")
	wantProblem(t, guess("192.0.2.2"), 401)
}

func TestInvalidCredentialsAreLimitedByAddressAndValidOnesAreNot(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.RateLimit = 20 })
	reseller := b.signIn(t, domain.Reseller)
	var fresh struct {
		RefreshToken string `json:"refresh_token"`
	}
	b.ask(t, "POST", "/api/v1/auth/login", `{"email":"reseller@example.com","password":"`+password+`"}`).data(t, &fresh)
	made := b.register(t, b.signIn(t, domain.Partner), "https://partner.example")
	notify := "/api/v1/partner-integrations/" + made.ID + "/availability/notify"
	wrong := []func() answer{
		func() answer {
			return b.ask(t, "GET", "/api/v1/resellers/activities", "", header{"X-Api-Token", "a guess"})
		},
		func() answer {
			return b.ask(t, "GET", "/api/v1/resellers/activities", "", header{"Authorization", "Bearer a.b.c"})
		},
		func() answer { return b.ask(t, "POST", notify, `{}`, header{"X-Webhook-Secret", "a guess"}) },
		func() answer { return b.ask(t, "POST", "/api/v1/auth/refresh", `{"refresh_token":"a guess"}`) },
	}
	for i := range 20 {
		wantProblem(t, wrong[i%len(wrong)](), 401, "unauthorized access")
	}
	for _, ask := range wrong {
		a := ask()
		wantProblem(t, a, 429, "rate limit exceeded")
		if a.Header.Get("Retry-After") == "" {
			t.Error("want a Retry-After")
		}
	}
	if a := b.ask(t, "GET", "/api/v1/resellers/activities", "", reseller); a.StatusCode != 200 {
		t.Errorf("want a good token let in, got %d", a.StatusCode)
	}
	if a := b.ask(t, "POST", notify, `{}`, header{"X-Webhook-Secret", made.Secret}); a.StatusCode != 400 {
		t.Errorf("want a good secret let in, got %d", a.StatusCode)
	}
	if a := b.ask(t, "POST", "/api/v1/auth/refresh", `{"refresh_token":"`+fresh.RefreshToken+`"}`); a.StatusCode != 200 {
		t.Errorf("want a good refresh token let in, got %d", a.StatusCode)
	}
}

// The limits are counted for so many callers at a time, and no more.
func TestInvalidCredentialsTakeNoRoomOfValidOnes(t *testing.T) {
	t.Parallel()
	guard := api.NewGuard(api.Config{RateLimit: 1, Now: time.Now})
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if first, second := guard.Refuse(r), guard.Refuse(r); domain.CodeOf(first) != domain.Unauthorized || domain.CodeOf(second) != domain.RateLimited {
		t.Errorf("want the second invalid credential of an address limited, got %v and %v", first, second)
	}
	if err := guard.Allow(api.CallerAddress(r)); err != nil {
		t.Errorf("want a valid credential counted separately even under the same key, got %v", err)
	}
}

// mayBeCached tells which answers a cache may keep: the catalog, the documents and the registry, which are the same for many.
func mayBeCached(path string) bool {
	for _, part := range []string{"/activities", "/docs", "/openapi.yaml", "/.well-known/jwks.json"} {
		if strings.Contains(path, part) {
			return !strings.Contains(path, "/operator/")
		}
	}
	return path == "/" || path == "/metrics" || strings.HasPrefix(path, "/registry")
}

func TestNoCacheKeepsWhatIsPersonal(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.RateLimit = 0 })
	open := b.opener(t)
	for _, op := range theDocument(t).Operations() {
		o := open(op)
		for _, headers := range [][]header{o.headers, nil} {
			if _, a := b.sendRequest(t, op.Method, o.path, "", headers...); a.Header.Get("X-Content-Type-Options") != "nosniff" || !mayBeCached(op.Path) && !strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
				t.Errorf("%s %s: want nosniff, and no-store unless it is the catalog, a document or the registry, got %v", op.Method, op.Path, a.Header)
			}
		}
	}
	for _, path := range []string{"/nothing", "/resellers/", "/api/v1/nothing"} {
		if a := b.ask(t, "GET", path, ""); a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: want nosniff and no-store, got %v", path, a.Header)
		}
	}
	for _, path := range []string{"/", "/docs", "/docs/partner", "/metrics"} {
		if _, a := b.sendRequest(t, "GET", path, ""); a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: want nosniff, got %v", path, a.Header)
		}
	}
	if a := b.ask(t, "POST", "/api/v1/auth/login", `{"email":"reseller@example.com","password":"`+password+`"}`); a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("want tokens not to be kept, got %v", a.Header)
	}
}

func TestAnAffiliateCodeOfZerosIsNoCode(t *testing.T) {
	t.Parallel()
	b := shared(t)
	order := `{"activity_id":"` + uuid.NewString() + `","variation_id":"` + uuid.NewString() + `","availability_id":"s","units":[{"type":"ADULT","quantity":1}],
		"contact":{"fullName":"Ana","emailAddress":"ana@example.com"},"affiliate_code":"00000000-0000-0000-0000-000000000000"}`
	wantProblem(t, b.ask(t, "POST", "/api/v1/resellers/bookings", order, b.signIn(t, domain.Reseller)), 400, "affiliate_code: expected an affiliate's code")
}

func TestMetricsHaveAListenerOfTheirOwnWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.MetricsApart = true })
	_, a := b.sendRequest(t, "GET", "/metrics", "")
	wantProblem(t, a, 404)
	for remote, want := range map[string]int{"127.0.0.1:7": 200, "192.0.2.1:7": 403} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.RemoteAddr = remote
		recorded := httptest.NewRecorder()
		b.Metrics.ServeHTTP(recorded, r)
		if recorded.Code != want || (want == 200) != strings.Contains(recorded.Body.String(), "marketplace_build_info") {
			t.Errorf("%s: want %d, got %d", remote, want, recorded.Code)
		}
		if recorded.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: want nosniff, got %v", remote, recorded.Header())
		}
	}
}

func TestAPartnersAccountHasSoManyIntegrationsAndNoMore(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.RateLimit = 0 })
	by := b.signIn(t, domain.Partner)
	var all sync.WaitGroup
	var made atomic.Int64
	for caller := range 8 { // at the same time
		all.Go(func() {
			for i := range partner.MostIntegrations/8 + 5 {
				a := b.ask(t, "POST", "/api/v1/partner-integrations", fmt.Sprintf(`{"name":"P","base_url":"https://partner.example/%d/%d","auth_key":"k"}`, caller, i), by)
				if a.StatusCode != 201 {
					wantProblem(t, a, 409, "at most 100 integrations")
					continue
				}
				made.Add(1)
			}
		})
	}
	all.Wait()
	if made.Load() != partner.MostIntegrations {
		t.Errorf("want %d integrations, got %d", partner.MostIntegrations, made.Load())
	}
}

func TestACommonPasswordIsRefused(t *testing.T) {
	t.Parallel()
	b := shared(t)
	operator := b.signIn(t, domain.Operator)
	for _, common := range []string{"password123", "Password123!", "P@ssw0rd123", "1234567890", "qwertyuiop", "iloveyou12", "letmein123", "administrator", "passwordpassword", "11111111111", "1q2w3e4r5t", "marketplace"} {
		a := b.ask(t, "POST", "/api/v1/operator/accounts", `{"email":"bo@example.com","password":"`+common+`","role":"reseller"}`, operator)
		wantProblem(t, a, 400, "password: too easy to guess")
		a = b.ask(t, "PATCH", "/api/v1/operator/accounts/"+b.accounts[domain.Reseller].ID.String(), `{"password":"`+common+`"}`, operator)
		wantProblem(t, a, 400, "password: too easy to guess")
	}
}
