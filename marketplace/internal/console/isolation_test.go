package console_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/console"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/replica/replicatest"
)

// opened are the pages without sign-in, which show nothing of an account. So are styles and scripts.
var opened = []string{"", "/signin", "/signout", "/invitation/{token}"}

// routed calls visit for each route below a path, except for those without sign-in.
func (s *shop) routed(below string, visit func(method, path string)) {
	s.t.Helper()
	pages, err := console.New(console.Config{SignIn: &auth.Service{}, Secret: replicatest.Secret(s.t), Now: s.now, Log: slog.Default()})
	errtest.Check(s.t, err)
	for _, p := range pages(http.NotFoundHandler()) {
		path, is := strings.CutPrefix(p.Path, below)
		if is && !p.Prefix && !slices.Contains(opened, path) && !strings.HasSuffix(path, ".css") && !strings.HasSuffix(path, ".js") {
			visit(p.Methods[0], p.Path)
		}
	}
}

// ask requests a route, with fields that its form may need.
func (v *visitor) ask(method, path string) page {
	v.t.Helper()
	if method == http.MethodGet {
		return v.get(path)
	}
	return v.post(path, "name", "Mine", "do", "save", "scope", "full", "days", "7", "webhook", "sync/trigger", "secret", "guessed")
}

func TestAPartnerSeesAndChangesItsOwnPlatformsAlone(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.registerStocked()
	own := "/partners/integrations/" + made.ID
	ana := s.enter("/partners", "partner@example.com", password)
	ana.shows(ana.get("/partners/"), 200, "Old Town Walks", "Register your platform")
	ana.shows(ana.get(own), 200, "Still to do", "Its webhooks arrive", `aria-current="step">Live`, "Try a webhook")
	run := run(ana, made.ID)
	s.finish(s.begin(run), twiceBooked)
	ana.shows(ana.get(own+"/runs/"+run), 200, "1 rule failed", "Answer with the booking")
	ana.shows(ana.get(own+"/runs/"+run+"/report.html"), 200, "The report")

	other := domain.Account{ID: uuid.New(), Email: "ben@example.com", Role: domain.Partner, PasswordHash: s.accounts[domain.Partner].PasswordHash, CreatedAt: s.now()}
	errtest.Check(s.t, s.store.Accounts.CreateAccount(t.Context(), other))
	ben := s.enter("/partners", other.Email, password)
	if p := ben.post("/partners/integrations", "name", "Boats", "base_url", s.base, "auth_key", "partner-key"); p.status != 200 {
		t.Fatalf("Expected a platform of the other partner, received %d: %s", p.status, p.text)
	}
	var bens string
	errtest.Check(s.t, s.store.Pool().QueryRow(t.Context(), `SELECT id FROM integrations WHERE account_id = $1`, other.ID).Scan(&bens))

	var asked []string
	s.routed("/partners", func(method, path string) {
		asked = append(asked, method+" "+path)
		if !strings.Contains(path, "{") {
			if p := ben.ask(method, path); strings.Contains(p.text, made.ID) || strings.Contains(p.text, "Old Town Walks") {
				t.Errorf("%s %s: Expected nothing of another partner, received %s", method, path, p.text)
			}
			return
		}
		for _, part := range []string{"progress", "report.html", "report.json", "junit.xml"} {
			fill := func(integration string) string {
				return strings.NewReplacer("{id}", integration, "{run}", run, "{part}", part).Replace(path)
			}
			ben.shows(ben.ask(method, fill(made.ID)), 404, "not found")
			if strings.Contains(path, "{run}") { // another's run, as if it were of the own platform
				ben.shows(ben.ask(method, fill(bens)), 404, "not found")
			}
			if !strings.Contains(path, "{part}") {
				break
			}
		}
	})
	for _, must := range []string{"POST /partners/integrations/{id}/go-live", "POST /partners/integrations/{id}/webhook", "GET /partners/integrations/{id}/runs/{run}/{part}"} {
		if !slices.Contains(asked, must) {
			t.Errorf("Expected %s among the routes, received %q", must, asked)
		}
	}
	i, err := s.store.Partners.Integration(t.Context(), uuid.MustParse(made.ID))
	errtest.Check(s.t, err)
	if i.Name != "Old Town Walks" || !i.DeletedAt.IsZero() {
		t.Errorf("Expected the platform unchanged, received %+v", i)
	}
	runs, err := s.store.Runs.List(t.Context(), uuid.MustParse(made.ID), domain.PageRequest{Size: 9})
	errtest.Check(s.t, err)
	if len(runs.Entries) != 1 || runs.Entries[0].State != conformance.Finished {
		t.Errorf("Expected no other run, received %+v", runs.Entries)
	}
}

func TestASessionOfOneSiteOpensNoPageOfTheOther(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := strings.NewReplacer("{id}", s.registerStocked().ID, "{run}", uuid.NewString(), "{part}", "progress", "{variation}", uuid.NewString(), "{token}", uuid.NewString())
	for site, v := range map[string]*visitor{"/console": s.enter("/partners", "partner@example.com", password), "/partners": s.operator()} {
		asked := 0
		for _, who := range []*visitor{v, s.visitor()} {
			s.routed(site, func(method, path string) {
				asked++
				if p := who.ask(method, id.Replace(path)); !strings.HasPrefix(p.address, site+"/signin") {
					t.Errorf("%s %s: Expected to be asked to sign in, received %d at %s", method, path, p.status, p.address)
				}
			})
		}
		if asked < 20 {
			t.Errorf("%s: Expected its routes tried, received %d", site, asked)
		}
	}
	for _, email := range []string{"reseller@example.com", "affiliate@example.com", "operator@example.com"} {
		v := s.visitor()
		v.shows(v.post("/partners/signin", "email", email, "password", password), 403, "for partners only")
	}
}
