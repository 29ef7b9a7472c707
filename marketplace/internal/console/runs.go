package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/gorilla/mux"
	"partnerkit.dev/marketplace/client"
)

// runsShown is the number of runs on an integration's page.
const runsShown = "5"

// runs reads the last runs of an integration, newest first.
func (i integrationCalls) runs() ([]client.Run, error) {
	runs, _, err := read[[]client.Run](i, i.path()+"/conformance-runs", url.Values{"limit": {runsShown}})
	return runs, err
}

func startRun(x *exchange) error {
	made, err := send[client.Run](x, http.MethodPost, "/partner-integrations/"+x.id()+"/conformance-runs", map[string]any{"scope": x.given.Get("scope"), "rules": x.given["rule"]})
	if err == nil {
		return x.goTo(x.site.Root + "/integrations/" + x.id() + "/runs/" + made.ID)
	}
	return x.act(x.site.Root+"/integrations/"+x.id(), func() (string, error) { return "", err })
}

// runPage shows a run: its progress, and later its findings.
type runPage struct {
	frame
	Of       integrationView
	Run      client.Run
	Previous *client.Run // the last earlier run of all rules in the same scope; nil: no earlier run
	Fixed    []client.Finding
	New      map[string]bool      // rules that the previous run did not find
	Evidence map[string]*evidence // by rule
	Shares   []client.Share       // links to the report that work
}

// usualRules is about how many rules a run without a selection judges.
const usualRules = 190

// MaxRules returns how many rules the run judges, about.
func (p *runPage) MaxRules() int {
	if n := len(p.Run.Rules); n > 0 {
		return n
	}
	return usualRules
}

func showRun(x *exchange) error {
	found, err := x.integration()
	if err != nil {
		return err
	}
	run, err := x.parts().run(mux.Vars(x.r)["run"])
	if err != nil {
		return err
	}
	p := &runPage{frame: frame{Page: "Conformance run", Section: "integrations"}, Of: found, Run: run}
	if err := x.parts().compare(p); err != nil {
		return err
	}
	if p.Evidence, err = x.evidence(run); err != nil {
		return err
	}
	if run.State == "finished" {
		if p.Shares, _, err = read[[]client.Share](x, "/partner-integrations/"+x.id()+"/conformance-runs/"+run.ID+"/shares", nil); err != nil {
			return err
		}
	}
	return x.show(http.StatusOK, "run.html", p)
}

func (i integrationCalls) run(id string) (client.Run, error) {
	run, _, err := read[client.Run](i, i.path()+"/conformance-runs/"+url.PathEscape(id), nil)
	return run, err
}

// shareRun creates a link to a run's report and shows it.
func shareRun(x *exchange) error {
	run := url.PathEscape(mux.Vars(x.r)["run"])
	page := x.site.Root + "/integrations/" + x.id() + "/runs/" + run
	days, _ := strconv.Atoi(x.given.Get("days")) // the API refuses 0
	made, err := send[client.RunLink](x, http.MethodPost, "/partner-integrations/"+x.id()+"/conformance-runs/"+run+"/share", map[string]int{"expires_in_days": days})
	if err != nil {
		return x.act(page, func() (string, error) { return "", err })
	}
	until := momentOf(made.ExpiresAt)
	words := "Everyone with this link can read the report, without signing in. It expires on " + until.Day + " at " + until.Hour + " UTC:"
	if err := x.say(note{Words: words, Secret: made.URL}); err != nil {
		return err
	}
	return x.goTo(page)
}

// unshareRun revokes a link to a run's report.
func unshareRun(x *exchange) error {
	vars := mux.Vars(x.r)
	run := "/integrations/" + x.id() + "/runs/" + url.PathEscape(vars["run"])
	return x.act(x.site.Root+run, func() (string, error) {
		_, err := send[struct{}](x, http.MethodDelete, "/partner-integrations/"+x.id()+"/conformance-runs/"+url.PathEscape(vars["run"])+"/shares/"+url.PathEscape(vars["share"]), nil)
		return "Link revoked. It no longer opens the report.", err
	})
}

// compare finds the changes since the last run of all rules in the same scope with a verdict.
func (i integrationCalls) compare(p *runPage) error {
	if !p.Run.HasEnded() {
		return nil
	}
	runs, err := i.runs()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(runs, func(r client.Run) bool {
		return r.Scope == p.Run.Scope && len(r.Rules) == 0 && r.State == "finished" && r.CreatedAt.Before(p.Run.CreatedAt)
	})
	if at < 0 {
		return nil
	}
	previous, err := i.run(runs[at].ID)
	if err != nil {
		return err
	}
	p.Previous, p.New = &previous, map[string]bool{}
	broken := func(list []client.Finding, rule string) bool {
		return slices.ContainsFunc(list, func(f client.Finding) bool { return f.Rule == rule })
	}
	for _, f := range p.Run.Findings {
		p.New[f.Rule] = !broken(previous.Findings, f.Rule)
	}
	for _, f := range previous.Findings {
		judged := len(p.Run.Rules) == 0 || slices.Contains(p.Run.Rules, f.Rule)
		if p.Run.State == "finished" && judged && !broken(p.Run.Findings, f.Rule) {
			p.Fixed = append(p.Fixed, f)
		}
	}
	return nil
}

// passed are the parts of a run that are shown as the API serves them.
var passed = []string{"progress", "report.html", "report.json", "junit.xml"}

// passRun passes on a part of a run from the API.
func passRun(x *exchange) error {
	vars := mux.Vars(x.r)
	if !slices.Contains(passed, vars["part"]) {
		return &refusal{Status: http.StatusNotFound, Message: "page not found"}
	}
	request, err := x.request(http.MethodGet, "/partner-integrations/"+x.id()+"/conformance-runs/"+url.PathEscape(vars["run"])+"/"+vars["part"], nil)
	if err != nil {
		return err
	}
	for _, name := range []string{"Accept-Encoding", "Last-Event-ID"} {
		if value := x.r.Header.Get(name); value != "" {
			request.Header.Set(name, value)
		}
	}
	x.caller.serve(x.w, request)
	return nil
}

// passCertificate passes on an integration's certificate from the API.
func passCertificate(x *exchange) error {
	request, err := x.request(http.MethodGet, "/partner-integrations/"+x.id()+"/certificate", nil)
	if err == nil {
		x.caller.serve(x.w, request)
	}
	return err
}

// webhookForm is the form for trying a webhook.
func webhookForm(given url.Values) *form {
	return newForm(given,
		field{Name: "webhook", Label: "Webhook", Kind: "choice", Choices: []choice{{"sync/trigger", "sync/trigger: pull the catalog"}, {"availability/notify", "availability/notify: a slot has changed"}}},
		field{Name: "secret", Label: "Webhook secret", Kind: "password", Required: true, Complete: "off", Hint: "As your platform sends it, in x-webhook-secret."},
		field{Name: "body", Label: "Body", Kind: "area", Rows: 6, Hint: "JSON, for availability/notify. sync/trigger needs none."},
	)
}

// webhookTried is the result of trying a webhook.
type webhookTried struct {
	Webhook string
	Status  int
	Answer  string
}

// tryWebhook sends a webhook as the partner's platform would, and shows the answer.
func tryWebhook(x *exchange) error {
	if _, err := x.integration(); err != nil { // it may be another partner's
		return err
	}
	name := x.given.Get("webhook")
	if name != "availability/notify" {
		name = "sync/trigger"
	}
	request, err := x.request(http.MethodPost, "/partner-integrations/"+x.id()+"/"+name, []byte(x.given.Get("body")))
	if err != nil {
		return err
	}
	request.Header.Del("Authorization")
	request.Header.Set("x-webhook-secret", x.given.Get("secret"))
	got := answer{header: http.Header{}}
	x.caller.serve(&got, request)
	return x.showIntegrationWith(http.StatusOK, actionResult{tried: &webhookTried{name, got.status, indentJSON(got.body.Bytes())}})
}

// indentJSON formats JSON for people.
func indentJSON(raw []byte) string {
	var text bytes.Buffer
	if json.Indent(&text, raw, "", "  ") != nil {
		return fmt.Sprintf("%q", raw)
	}
	return text.String()
}
