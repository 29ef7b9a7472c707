package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/marketplace/client"
)

// matrixCell is the state of a partner's endpoint.
type matrixCell struct{ client.MatrixCell }

// failedRules are the rules of an endpoint that fail.
type failedRules struct {
	Names []string
	Since time.Time
}

// Failed returns the rules that fail; nil: none.
func (c matrixCell) Failed() *failedRules {
	var f failedRules
	for _, b := range c.Breaches {
		if b.Outcome != "failed" {
			continue
		}
		if f.Since.IsZero() {
			f.Since = b.Since
		}
		f.Names = append(f.Names, b.Rule)
	}
	if len(f.Names) == 0 {
		return nil
	}
	return &f
}

// Says returns how many rules fail, and since when.
func (f *failedRules) Says() string {
	return plural.Count(len(f.Names), "rule") + " since " + f.Since.UTC().Format("2 Jan")
}

// Rules returns the names of the rules.
func (f *failedRules) Rules() string { return strings.Join(f.Names, ", ") }

// matrixRow is a partner with its state by endpoint and by day.
type matrixRow struct{ client.MatrixRow }

// Tone returns the colour of the partner's tile.
func (r matrixRow) Tone() string {
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

// Says describes the partner's tile.
func (r matrixRow) Says() string {
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

// dayTones are the colours of a day's verdict. Other days have no colour.
var dayTones = map[string]string{"conformant": "good", "partial": "good", "nonconformant": "bad", "failed": "mute", "incomplete": "mute"}

// dayBars are the days of a tone, as a path with a bar for each.
type dayBars struct{ Tone, Path string }

// DayBars returns the bars of the days that have a colour.
func (r matrixRow) DayBars() (bars []dayBars) {
	for _, tone := range []string{"bad", "good", "mute"} {
		var path strings.Builder
		for i, verdict := range r.Days {
			if dayTones[verdict] == tone {
				fmt.Fprintf(&path, "M%d 0h6v14h-6z", i*8)
			}
		}
		if path.Len() > 0 {
			bars = append(bars, dayBars{tone, path.String()})
		}
	}
	return bars
}

// DaysSay describes the days in words.
func (r matrixRow) DaysSay() string {
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

// Address returns the page of the partner's integration.
func (r matrixRow) Address() string { return root + "/integrations/" + url.PathEscape(r.IntegrationID) }

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

// Rows returns the partners in the order of the page.
func (p *partnersPage) Rows() []matrixRow {
	rows := make([]matrixRow, len(p.Partners))
	for i, row := range p.Partners {
		rows[i] = matrixRow{row}
	}
	return rows
}

// EndpointCells returns the states of the partner's endpoints.
func (r matrixRow) EndpointCells() []matrixCell {
	cells := make([]matrixCell, len(r.Cells))
	for i, cell := range r.Cells {
		cells[i] = matrixCell{cell}
	}
	return cells
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
