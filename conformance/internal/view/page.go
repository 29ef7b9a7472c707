package view

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/webui"
	"partnerkit.dev/schemas/partnerapi"
)

// The files of the page.
var (
	//go:embed page/*.html
	templates embed.FS
	//go:embed page/style.css
	ownStyle string
	//go:embed page/script.js
	script string
)

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(webui.Templates(templates, template.FuncMap{
		"bytes": size, "duration": duration, "label": label, "ms": Milliseconds, "plural": plural.Count, "thousands": plural.Thousands,
		"took":    func(ms int64) string { return Milliseconds(float64(ms)) },
		"shorten": func(s string) string { return shorten(s, maxText) },
	}))
})

// HTML returns r as one page for people, which needs no network and no other file. All text from
// the partner is escaped. A content security policy allows only the page's own script, and the page
// is readable without it.
func HTML(r *report.Result) ([]byte, error) {
	var out bytes.Buffer
	if err := pageTemplate().ExecuteTemplate(&out, "page.html", newPage(r.Completed())); err != nil {
		return nil, fmt.Errorf("write the report as HTML: %w", err)
	}
	return makeLegible(out.Bytes()), nil
}

func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", webui.HashSource(style()), webui.HashSource(script))
}

func style() string { return webui.Style(ownStyle) }

// makeLegible makes visible what a page would hide or obey: control characters, and characters that
// change the direction of text. Invalid UTF-8 becomes the replacement character.
func makeLegible(page []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r >= 0x20 && r < 0x7F, r == '\n', r == '\t', r == '\r':
			return r
		case r < 0x20:
			return 0x2400 + r // the control pictures block, in the same order
		case r == 0x7F:
			return 0x2421
		case r <= 0x9F, unicode.Is(unicode.Bidi_Control, r):
			return utf8.RuneError
		}
		return r
	}, page)
}

// page is what the templates read: the result, arranged for display.
type page struct {
	*report.Result
	Head      webui.Head
	Script    template.JS
	Host      string         // of the target, for the title
	Seal      report.Outcome // the outcome whose icon stands for the verdict
	Heading   string         // the verdict in words
	Sentence  string         // explains the verdict
	Counts    []segment
	Levels    []rule.Level
	Urgent    []findingView // what failed or was warned, in the order of report.Result.Causes, or shows why nothing was judged
	NotJudged []Unjudged    // MUST rules
	Endpoints []endpointView
	Timings   []timing
	SlowSays  string             // which endpoints answered too late; "" if none did
	Slots     []slotView         // slots whose vacancies are shown expanded
	MoreSlots []slotView         // slots whose vacancies are folded
	SlotsRead int                // all of them
	Bookings  int                // of NotUndone
	Differ    int                // slots that were not left as they were before the run
	Differing []report.SlotSeats // the first of them

	MoreDiffering []report.SlotSeats // folded
	AsBefore      []report.SlotSeats

	Dimensions []dimensionView
}

type segment struct {
	Outcome report.Outcome
	Number  int
	X       string
	Width   string
}

type endpointView struct {
	Name   partnerapi.Endpoint
	Method string
	Path   []string // its segments, so that a long path can break between them
	State  string   // the class of its colour and icon
	Says   string   // its state in words
	Counts []segment
	Worst  string     // answer time; "" if it was not called
	Urgent []ruleView // shown among the findings
	Open   []ruleView // known or not judged
	Passed []ruleView
}

func newPage(r *report.Result) *page {
	p := &page{
		Result: r, Head: webui.Head{Style: template.CSS(style()), Policy: policy()}, Script: template.JS(script),
		Host:    r.Target.BaseURL,
		Levels:  levels(r.Rules),
		Counts:  counts(r.Rules),
		Timings: mapViews(r.Latency, newTiming),
		Slots:   mapViews(r.Vacancies, newSlotView),

		Dimensions: dimensionViews(r.Coverage.Rules),
	}
	if u, err := url.Parse(r.Target.BaseURL); err == nil && u.Host != "" {
		p.Host = u.Host
	}
	p.SlowSays, p.SlotsRead = slowWords(r.Latency), len(p.Slots)
	if len(p.Slots) > stepsOpen {
		p.Slots, p.MoreSlots = p.Slots[:stepsOpen], p.Slots[stepsOpen:]
	}
	p.Seal = Seal(r)
	p.Heading, p.Sentence = VerdictWords(r)
	p.Head.Title = p.Heading + ": " + shorten(p.Host, maxText) + " · conformance report"
	views := ruleViews(r)
	p.Urgent, p.NotJudged = findings(urgentRules(views, r.Verdict), r.Causes), NotJudged(r.Rules)
	for _, e := range endpoints(r) {
		p.Endpoints = append(p.Endpoints, newEndpointView(e, views, r))
	}
	for _, l := range r.NotUndone {
		if l.Kind == "booking" {
			p.Bookings++
		}
	}
	p.Differing, p.AsBefore = Differing(r.Slots), slices.DeleteFunc(slices.Clone(r.Slots), isDiffering)
	p.Differ = len(p.Differing)
	if p.Differ > slotsOpen {
		p.Differing, p.MoreDiffering = p.Differing[:slotsOpen], p.Differing[slotsOpen:]
	}
	return p
}

// slowWords names the endpoints that answered later than the marketplace waits.
func slowWords(all []report.Latency) string {
	var slow []string
	for _, l := range all {
		if l.OverHealthy > 0 {
			slow = append(slow, string(l.Endpoint))
		}
	}
	if len(slow) == 0 {
		return ""
	}
	return "too late: " + strings.Join(slow, ", ")
}

func mapViews[T, V any](all []T, view func(T) V) (views []V) {
	for _, one := range all {
		views = append(views, view(one))
	}
	return views
}

// Differing returns the slots that were not left as they were before the run.
func Differing(all []report.SlotSeats) []report.SlotSeats {
	return slices.DeleteFunc(slices.Clone(all), func(s report.SlotSeats) bool { return !isDiffering(s) })
}

func isDiffering(s report.SlotSeats) bool { return s.Differs }

func levels(rules []report.RuleResult) []rule.Level {
	return slices.DeleteFunc([]rule.Level{rule.Must, rule.Should, rule.May}, func(l rule.Level) bool {
		return !slices.ContainsFunc(rules, func(r report.RuleResult) bool { return r.Level == l })
	})
}

// counts draws the outcomes as pieces of one bar. A single rule among many gets a visible piece, so
// the widths are not exactly proportional.
func counts(rules []report.RuleResult) []segment {
	summary := map[report.Outcome]int{}
	for _, r := range rules {
		summary[r.Outcome]++
	}
	least := float64(len(rules)) / 60
	var total float64
	for _, n := range summary {
		if n > 0 {
			total += max(float64(n), least)
		}
	}
	var all []segment
	var x float64
	for _, o := range report.Outcomes() {
		if n := summary[o]; n > 0 {
			width := max(float64(n), least)
			all = append(all, segment{Outcome: o, Number: n, X: percent(x, total), Width: percent(width, total)})
			x += width
		}
	}
	return all
}

func newEndpointView(e partnerapi.Endpoint, views []ruleView, r *report.Result) endpointView {
	var own []ruleView
	var results []report.RuleResult
	for _, v := range views {
		if v.Endpoint == e {
			own, results = append(own, v), append(results, v.RuleResult)
		}
	}
	v := endpointView{
		Name:   e,
		Counts: counts(results),
		Urgent: urgentRules(own, r.Verdict),
		Passed: withOutcomes(own, report.Passed),
	}
	v.Open = slices.DeleteFunc(withOutcomes(own, report.Known, report.Inconclusive, report.Blocked, report.Skipped, report.NotApplicable), func(open ruleView) bool {
		return slices.ContainsFunc(v.Urgent, func(shown ruleView) bool { return shown.ID == open.ID })
	})
	method, path := route(e)
	v.Method, v.Path = method, strings.SplitAfter(path, "/")
	v.State, v.Says = stateWords(own)
	if i := slices.IndexFunc(r.Latency, func(l report.Latency) bool { return l.Endpoint == e }); i >= 0 {
		v.Worst = Milliseconds(r.Latency[i].WorstMS)
	}
	return v
}

// stateWords returns the outcome that stands for the rules of an endpoint, and its state in words.
func stateWords(views []ruleView) (state, says string) {
	if len(views) == 0 {
		return string(report.Skipped), "no rules"
	}
	n := map[report.Outcome]int{}
	for _, v := range views {
		n[v.Outcome]++
	}
	for _, o := range []report.Outcome{report.Failed, report.Warned, report.Known} {
		if n[o] > 0 {
			says += fmt.Sprintf("%d %s, ", n[o], o)
		}
	}
	if n[report.Passed] == len(views) {
		says += fmt.Sprintf("all %d passed", len(views))
	} else {
		says += fmt.Sprintf("%d of %d passed", n[report.Passed], len(views))
	}
	order := []report.Outcome{report.Failed, report.Warned, report.Known, report.Inconclusive, report.Blocked, report.Passed, report.NotApplicable, report.Skipped}
	for _, o := range order {
		if n[o] > 0 {
			return string(o), says
		}
	}
	return string(report.Skipped), says
}

// endpoints lists what the rules of a result are about. A result of an earlier suite has no rules
// about webhooks.
func endpoints(r *report.Result) []partnerapi.Endpoint {
	return slices.DeleteFunc(rule.Endpoints(), func(e partnerapi.Endpoint) bool {
		return e == rule.Webhooks && !slices.ContainsFunc(r.Rules, func(one report.RuleResult) bool { return one.Endpoint == e })
	})
}

func route(e partnerapi.Endpoint) (method, path string) {
	switch e {
	case partnerapi.Products:
		return "GET", partnerapi.ProductsPath
	case partnerapi.Availability:
		return "POST", partnerapi.AvailabilityPath
	case partnerapi.Reserve:
		return "POST", partnerapi.ReservePath
	case partnerapi.Confirm:
		return "POST", partnerapi.ConfirmPath
	case partnerapi.Release:
		return "DELETE", "/bookings/{reservationCode}"
	case rule.Webhooks:
		return "POST", partnerapi.AvailabilityNotifyPath
	default:
		return "POST", "/bookings/{externalBookingId}/cancel"
	}
}

// findingView is a mistake of the partner, or a rule that shows why nothing was judged.
type findingView struct {
	report.RuleResult            // the first
	Rules             []ruleView // all of them
	Waits             string     // number of rules that it blocks, in words; "" if none
	First             bool
}

// SharesAdvice reports whether one advice is for all rules of the finding.
func (f findingView) SharesAdvice() bool {
	return !slices.ContainsFunc(f.Rules, func(v ruleView) bool { return v.Why != f.Why || v.Fix != f.Fix })
}

// findings returns the urgent rules by cause, in the order of the causes. Those without one are last.
func findings(urgent []ruleView, causes []report.Cause) (all []findingView) {
	take := func(ids []string) (rules []ruleView) {
		urgent = slices.DeleteFunc(urgent, func(v ruleView) bool {
			taken := slices.Contains(ids, v.ID)
			if taken {
				rules = append(rules, v)
			}
			return taken
		})
		return rules
	}
	for _, cause := range causes {
		rules := take(cause.Rules)
		if len(rules) == 0 {
			continue
		}
		all = append(all, findingView{RuleResult: rules[0].RuleResult, Rules: rules, Waits: WaitWords(cause)})
	}
	for _, v := range urgent {
		all = append(all, findingView{RuleResult: v.RuleResult, Rules: []ruleView{v}})
	}
	if len(all) > 0 {
		all[0].First = true
	}
	return all
}

// urgentRules returns the rules that a reader looks for first: failed and warned ones and, for a partner
// that could not be judged, those that show why.
func urgentRules(views []ruleView, verdict report.Verdict) []ruleView {
	first := withOutcomes(views, report.Failed, report.Warned)
	if verdict == report.Incomplete {
		first = append(first, slices.DeleteFunc(withOutcomes(views, report.Inconclusive), func(v ruleView) bool { return len(v.Exchanges) == 0 })...)
	}
	return first
}

func withOutcomes(views []ruleView, outcomes ...report.Outcome) (some []ruleView) {
	for _, o := range outcomes {
		for _, v := range views {
			if v.Outcome == o {
				some = append(some, v)
			}
		}
	}
	return some
}
