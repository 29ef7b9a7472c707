package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"partnerkit.dev/mockpartner/internal/journal"
	"partnerkit.dev/mockpartner/internal/judge"
)

const (
	// maxExchanges is how many exchanges are shown.
	maxExchanges = 100
	// maxShown is how much of a body is shown, in bytes.
	maxShown = 64 << 10
)

type exchangesPanel struct {
	Newest  []exchangeView
	Last    uint64 // the number of the newest
	Arrived uint64
	Kept    int
	Clear   call
}

// exchangeView is an exchange in a line and, if it is chosen, in full.
type exchangeView struct {
	Number   uint64
	At       time.Time // by the sandbox's clock, UTC
	Method   string
	Target   string
	Status   int
	Class    string // of the status: good, refused, failed or none
	Words    string // of the status
	Took     string
	Faults   []string
	Done     bool
	Open     bool
	Href     string // opens it, or closes it again
	Arrived  time.Time
	Request  messageView
	Answer   messageView
	Endpoint string
}

type messageView struct {
	Of      string // which half
	Headers string // line by line
	Body    string
	Note    string // what is not shown of it
}

func (b *builder) exchanges() exchangesPanel {
	kept := b.box.Journal()
	count := kept.Count()
	found := kept.Exchanges(journal.Filter{Limit: maxExchanges})
	if chosen, ok := kept.Exchange(b.choice.exchange); ok && !slices.ContainsFunc(found, func(e journal.Exchange) bool { return e.Number == chosen.Number }) {
		found = append(found, chosen)
	}
	panel := exchangesPanel{Arrived: count.Arrived, Kept: count.Kept}
	for _, e := range found {
		panel.Newest = append(panel.Newest, b.exchange(e))
		panel.Last = max(panel.Last, e.Number)
	}
	slices.SortFunc(panel.Newest, func(a, b exchangeView) int { return cmp.Compare(b.Number, a.Number) })
	panel.Clear = b.call(call{ID: "journal-clear", Label: "Empty", Of: "the list of exchanges", Method: http.MethodDelete, Path: "/journal", Off: count.Kept == 0})
	return panel
}

func (b *builder) exchange(e journal.Exchange) exchangeView {
	view := exchangeView{
		Number: e.Number, At: e.At.UTC(), Method: e.Method, Target: e.Target, Endpoint: string(e.Endpoint),
		Status: e.Status, Class: classOf(e), Words: wordsOf(e), Faults: e.Faults, Done: e.Done, Arrived: e.Arrived,
		Open: e.Number == b.choice.exchange,
		Href: b.choice.withExchange(e.Number).href(),
	}
	if e.Done {
		view.Took = took(time.Duration(e.Duration))
	}
	if view.Open {
		view.Href = b.choice.withExchange(0).href()
		view.Request, view.Answer = messageOf("Request", e.Request), messageOf("Answer", e.Answer)
	}
	return view
}

func classOf(e journal.Exchange) string {
	switch {
	case !e.Done:
		return "open"
	case e.Status == 0, e.Status >= 500:
		return "failed"
	case e.Status >= 400:
		return "refused"
	default:
		return "good"
	}
}

func wordsOf(e journal.Exchange) string {
	switch {
	case !e.Done:
		return "under way"
	case e.Status == 0:
		return "no answer"
	default:
		return http.StatusText(e.Status)
	}
}

func messageOf(half string, m journal.Message) messageView {
	view := messageView{Of: half}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.Header)) {
		for _, value := range m.Header[name] {
			fmt.Fprintf(&lines, "%s: %s\n", name, value)
		}
	}
	view.Headers = lines.String()
	body := []byte(m.Body)
	switch {
	case len(body) == 0:
		return view
	case !utf8.Valid(body):
		view.Note = fmt.Sprintf("%d bytes that are no text", len(body))
		return view
	case m.Truncated:
		view.Note = "Only the beginning was kept."
	}
	if len(body) <= maxShown {
		var pretty bytes.Buffer
		if json.Indent(&pretty, bytes.TrimSpace(body), "", "  ") == nil {
			body = pretty.Bytes()
		}
	}
	if len(body) > maxShown {
		view.Note = fmt.Sprintf("The first %d of %d bytes.", maxShown, len(body))
		body = body[:maxShown]
	}
	view.Body = strings.ToValidUTF8(string(body), "")
	return view
}

// callerPanel is how the sandbox's callers stand by the contract. It is judged
// only when it is asked for: the whole journal is read for it.
type callerPanel struct {
	Judged  bool
	Href    string // asks for it, or for it no more
	Verdict judge.Verdict
	Rules   []ruleView // the broken ones first, then those that are not judged
	Broken  int
}

type ruleView struct {
	judge.Judgement
	Class string
	Shown []findingView
}

type findingView struct {
	judge.Finding
	Exchanges []exchangeLink
}

type exchangeLink struct {
	Number uint64
	Href   string
}

func (b *builder) caller() callerPanel {
	asked := b.choice
	asked.judged = !asked.judged
	panel := callerPanel{Judged: b.choice.judged, Href: asked.href()}
	if !panel.Judged {
		return panel
	}
	panel.Verdict = b.box.Verdict()
	for _, outcome := range []judge.Outcome{judge.Broken, judge.NotJudged, judge.Kept} {
		for _, j := range panel.Verdict.Rules {
			if j.Verdict == outcome {
				panel.Rules = append(panel.Rules, b.rule(j))
			}
		}
		if outcome == judge.Broken {
			panel.Broken = len(panel.Rules)
		}
	}
	return panel
}

func (b *builder) rule(j judge.Judgement) ruleView {
	view := ruleView{Judgement: j, Class: "open"}
	switch j.Verdict {
	case judge.Kept:
		view.Class = "good"
	case judge.Broken:
		view.Class = "failed"
	}
	for _, f := range j.Findings {
		finding := findingView{Finding: f}
		for _, e := range f.Exchanges {
			finding.Exchanges = append(finding.Exchanges, exchangeLink{e.Number, b.choice.withExchange(e.Number).href()})
		}
		view.Shown = append(view.Shown, finding)
	}
	return view
}
