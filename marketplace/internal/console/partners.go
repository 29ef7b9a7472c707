package console

import (
	"fmt"
	"html"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/marketplace/client"
)

// matrixCell is the state of a partner's endpoint.
type matrixCell struct{ client.MatrixCell }

// failedRules returns how many rules fail, since when, and their names.
func (c matrixCell) failedRules() (n int, since time.Time, rules string) {
	var names []string
	for _, b := range c.Breaches {
		if b.Outcome != "failed" {
			continue
		}
		if n++; since.IsZero() {
			since = b.Since
		}
		names = append(names, b.Rule)
	}
	return n, since, strings.Join(names, ", ")
}

// matrixRow is a partner with its state by endpoint and by day.
type matrixRow struct{ client.MatrixRow }

// tone returns the colour of the partner's tile.
func (r matrixRow) tone() string {
	switch {
	case !r.FailingSince.IsZero():
		return "bad"
	case r.Admission.GoLive == "requested", r.State == "expired":
		return "warn"
	case r.State == "certified":
		return "good"
	}
	return "mute"
}

// says describes the partner's tile.
func (r matrixRow) says() string {
	words := r.Name
	if !r.FailingSince.IsZero() {
		words += ", fails since " + momentOf(r.FailingSince).Day
	}
	if r.State != "none" {
		words += ", " + r.State
	}
	if r.Admission.GoLive == "requested" {
		words += ", asks to go live"
	}
	return words
}

// write writes the cell for the page.
func (c matrixCell) write(to *strings.Builder) {
	switch n, since, rules := c.failedRules(); {
	case n > 0:
		fmt.Fprintf(to, `<td class="bad" title="%s">%s since %s</td>`, html.EscapeString(rules), plural.Count(n, "rule"), since.UTC().Format("2 Jan"))
	case !c.JudgedAt.IsZero():
		to.WriteString(`<td class="good">passed</td>`)
	default:
		to.WriteString(`<td class="mute" title="not judged yet">–</td>`)
	}
}

// dayTones are the colours of a day's verdict. Other days have no colour.
var dayTones = map[string]string{"conformant": "good", "partial": "good", "nonconformant": "bad", "failed": "mute", "incomplete": "mute"}

// tonePath returns the days of a tone as a path: a bar for each.
func (r matrixRow) tonePath(tone string) string {
	var path strings.Builder
	for i, verdict := range r.Days {
		if dayTones[verdict] == tone {
			fmt.Fprintf(&path, "M%d 0h6v14h-6z", i*8)
		}
	}
	return path.String()
}

// daysSay describes the days in words.
func (r matrixRow) daysSay() string {
	bad, good := 0, 0
	for _, verdict := range r.Days {
		switch dayTones[verdict] {
		case "bad":
			bad++
		case "good":
			good++
		}
	}
	if bad+good == 0 {
		return "No run in these days"
	}
	return fmt.Sprintf("Breaches on %s, none on %d", plural.Count(bad, "day"), good)
}

// write writes the partner's row for the page.
func (r matrixRow) write(to *strings.Builder) {
	fmt.Fprintf(to, `<tr><th scope="row"><a href="%s">%s</a>`, r.address(), html.EscapeString(r.Name))
	if r.Mode == "test" {
		to.WriteString(` <span class="soft">test</span>`)
	}
	if r.Admission.GoLive == "requested" {
		to.WriteString(` <span class="pill warn">asks to go live</span>`)
	}
	state := html.EscapeString(r.State)
	if r.State == "certified" {
		state = fmt.Sprintf(`<a href="%s/certificate" download="certificate.jws" title="Download the certificate">%s</a>`, r.address(), state)
	}
	fmt.Fprintf(to, `</th><td>%s%s</td>`, state, choose(r.Withheld, ", <b>not listed</b>", ""))
	for _, c := range r.Cells {
		matrixCell{c}.write(to)
	}
	fmt.Fprintf(to, `<td><svg class="days" viewBox="0 0 112 14" width="112" height="14" role="img" aria-label="%s">`, r.daysSay())
	for _, tone := range []string{"bad", "good", "mute"} {
		if path := r.tonePath(tone); path != "" {
			fmt.Fprintf(to, `<path class="%s" d="%s"/>`, tone, path)
		}
	}
	to.WriteString("</svg></td></tr>\n")
}

func (r matrixRow) address() string { return root + "/integrations/" + url.PathEscape(r.IntegrationID) }

// Tiles returns a tile for each partner. A template would take several times as long for some hundred
// partners.
func (p *partnersPage) Tiles() template.HTML {
	var to strings.Builder
	for _, row := range p.Partners {
		r := matrixRow{row}
		says := html.EscapeString(r.says())
		fmt.Fprintf(&to, `<li><a class="%s" href="%s" title="%s"><span class="unseen">%s</span></a></li>`, r.tone(), r.address(), says, says)
	}
	return template.HTML(to.String())
}

// Rows returns the rows of the table.
func (p *partnersPage) Rows() template.HTML {
	var to strings.Builder
	for _, row := range p.Partners {
		matrixRow{row}.write(&to)
	}
	return template.HTML(to.String())
}

// partnersPage shows which partners breach which rules.
type partnersPage struct {
	frame
	client.Matrix
	Filter   *form
	Filtered bool
	Failing  int // partners with a failed rule
	Asking   int // partners that ask to go live
	Query    string
}

// HasResults reports whether the page has rows.
func (p *partnersPage) HasResults() bool { return len(p.Partners) > 0 }

// matrixFilters are the filters of the page and its exports.
var matrixFilters = []string{"q", "state", "endpoint", "certification", "go_live", "mode", "failing"}

func listPartners(x *exchange) error {
	query := x.queryValues(matrixFilters...)
	query.Del("page")
	query.Del("cursor")
	found, _, err := read[client.Matrix](x, "/operator/conformance", query)
	if err != nil {
		return err
	}
	p := &partnersPage{frame: frame{Page: "Partners", Section: "partners"}, Matrix: found, Filtered: len(query) > 0}
	p.Filter = newFilter(query,
		field{Name: "q", Label: "Name or address", Kind: "search"},
		anyOf("state", "Certificate", "all", "certified", "expired", "failed", "none"),
		anyOf("endpoint", "Fails in", "any or none", "products", "availability", "reserve", "confirm", "release", "cancel"),
		anyOf("certification", "Policy", "all", "off", "advise", "require"),
		anyOf("go_live", "Going live", "all", "requested", "approved", "declined", "ended", "none"),
		anyOf("mode", "Mode", "all", "live", "test"),
		field{Name: "failing", Label: "Only partners that fail", Kind: "checkbox", Value: query.Get("failing")},
	)
	for _, row := range p.Partners {
		if !row.FailingSince.IsZero() {
			p.Failing++
		}
		if row.Admission.GoLive == "requested" {
			p.Asking++
		}
	}
	if p.Query = query.Encode(); p.Query != "" {
		p.Query = "?" + p.Query
	}
	return x.show(http.StatusOK, "partners.html", p)
}

// exportPartners passes on the API's answer as a file.
func exportPartners(path, name string) handler {
	return func(x *exchange) error {
		query := x.queryValues(matrixFilters...)
		request, err := x.request(http.MethodGet, path+"?"+query.Encode(), nil)
		if err != nil {
			return err
		}
		x.w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		x.caller.serve(x.w, request)
		return nil
	}
}

// decideGoLive approves an integration, or declines it.
func decideGoLive(x *exchange) error {
	approve := x.given.Get("decision") == "approve"
	return x.act(x.site.Root+"/integrations/"+x.id()+"#admission-title", func() (string, error) {
		_, err := send[struct{}](x, http.MethodPost, "/operator/integrations/"+x.id()+"/go-live", map[string]any{"approve": approve, "reason": x.given.Get("reason"), "settings": x.seenSettings()})
		return choose(approve, "Approved. The partner reads it on its page.", "Declined. The partner reads the reason on its page, and can ask again."), err
	})
}

// seenSettings returns the settings that the page showed when the operator decided.
func (x *exchange) seenSettings() map[string]any {
	return map[string]any{"base_url": x.given.Get("base_url"), "auth_type": x.given.Get("auth_type"), "handles_ticket_delivery": x.given.Get("handles_ticket_delivery") == "true"}
}

// setPolicy sets an integration's own certification policy.
func setPolicy(x *exchange) error {
	var policy *string
	if given := x.given.Get("certification"); given != "" {
		policy = &given
	}
	return x.act(x.site.Root+"/integrations/"+x.id()+"#admission-title", func() (string, error) {
		_, err := send[struct{}](x, http.MethodPut, "/operator/integrations/"+x.id()+"/certification", map[string]any{"certification": policy, "settings": x.seenSettings()})
		return "Policy saved. It takes effect immediately.", err
	})
}

// askToGoLive asks the operator to approve the platform.
func askToGoLive(x *exchange) error {
	return x.act(x.site.Root+"/integrations/"+x.id()+"#steps-title", func() (string, error) {
		_, err := send[struct{}](x, http.MethodPost, "/partner-integrations/"+x.id()+"/go-live", struct{}{})
		return "The marketplace was asked. You read the answer on this page.", err
	})
}

// eventView is an event of an integration, for its partner.
type eventView struct{ client.IntegrationEvent }

// Says describes the event.
func (n eventView) Says() string {
	switch n.Type {
	case "certificate.issued":
		return "A certificate was issued."
	case "certificate.ended":
		switch n.Data.Reason {
		case "breach":
			return "The certificate ended: a conformance run found a breach."
		case "settings_changed":
			return "The certificate ended: " + n.changed()
		}
		return "The certificate expired."
	case "certification.ended":
		return "The platform's own certification policy ended: " + n.changed()
	case "go_live.approved":
		return "The marketplace approved the platform."
	case "go_live.declined":
		return "The marketplace declined to list the platform."
	case "go_live.ended":
		return "The approval to go live ended: " + n.changed()
	}
	return n.Type
}

func (n eventView) changed() string { return strings.Join(n.Data.Settings, ", ") + " changed." }

// Reason returns the operator's words.
func (n eventView) Reason() string {
	return choose(n.Type == "go_live.approved" || n.Type == "go_live.declined", n.Data.Reason, "")
}

// eventsShown is the number of events on a page.
const eventsShown = "5"

func (i integrationCalls) lastEvents() (events []eventView, err error) {
	found, _, err := read[client.IntegrationEvents](i, i.path()+"/events", url.Values{"newest": {"true"}, "limit": {eventsShown}})
	for _, e := range found.Events {
		events = append(events, eventView{e})
	}
	return events, err
}

// policyForm is the form for an integration's own policy.
func policyForm(i client.Integration) *form {
	return newFilter(url.Values{"certification": {i.Admission.Own}}, field{
		Name: "certification", Label: "Certification policy", Kind: "choice",
		Choices: []choice{{"", "as for all integrations"}, {"off", "off: not shown"}, {"advise", "advise: shown"}, {"require", "require: listed only with a certificate"}},
	})
}
