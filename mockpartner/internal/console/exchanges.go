package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/journal"
)

const (
	// fewExchanges is how many exchanges are shown until more are asked for, and maxExchanges the most.
	fewExchanges, maxExchanges = 10, 100
	// maxShown is how much of a body is shown, in bytes.
	maxShown = 64 << 10
)

type exchangesPanel struct {
	journal.Count
	Newest []exchangeView
	Last   uint64 // the number of the newest exchange
	Found  int    // number of matching exchanges
	Hidden int    // number of matching probes that are hidden
	Probes string // links to the page with or without the probes
	Filter listed
	Others []choice // the rest of the selection

	Endpoints, Statuses, Faults []choice

	Clear call
	More  more
}

// exchangeView is an exchange in one line and, if it is selected, in full.
type exchangeView struct {
	client.Exchange // its At in UTC
	Repeat          call
	Command         string // the curl command that sends the request again, if it is selected
	choice          chosen
}

type messageView struct {
	Of      string // request or answer
	Headers string // one per line
	Body    string
	Note    string // says what is not shown
}

func (b *builder) exchanges() exchangesPanel {
	kept, filter := b.box.Journal(), b.choice.listed.filter()
	panel := exchangesPanel{
		Count: kept.Count(), Found: kept.CountMatching(filter), Filter: b.choice.listed,
		Others: b.choice.hiddenFields(listedNames...), Probes: b.choice.withProbes(!b.choice.listed.probes).href(),
	}
	panel.choose(b.box.Faults().Faults())
	if all := filter; filter.NoProbes {
		all.NoProbes = false
		panel.Hidden = kept.CountMatching(all) - panel.Found
	}
	filter.Limit = b.choice.limit("exchanges", fewExchanges, maxExchanges)
	found := kept.Exchanges(filter)
	if chosen, ok := kept.Exchange(b.choice.exchange); ok && !slices.ContainsFunc(found, func(e client.Exchange) bool { return e.Number == chosen.Number }) {
		found = append(found, chosen)
	}
	for _, e := range found {
		e.At = e.At.UTC()
		view := exchangeView{Exchange: e, choice: b.choice, Repeat: b.call(call{
			ID: fmt.Sprintf("repeat-%d", e.Number), Label: "Repeat answer", Of: strconv.FormatUint(e.Number, 10),
			Method: http.MethodPost, Path: fmt.Sprintf("/faults/from/%d", e.Number), Off: !e.Done,
		})}
		if view.Open() {
			view.Command = b.repeatCommand(e)
		}
		panel.Newest = append(panel.Newest, view)
		panel.Last = max(panel.Last, e.Number)
	}
	panel.More = b.choice.more("exchanges", len(panel.Newest), panel.Found)
	slices.SortFunc(panel.Newest, func(a, b exchangeView) int { return cmp.Compare(b.Number, a.Number) })
	panel.Clear = b.call(call{ID: "journal-clear", Label: "Empty", Of: "the list of exchanges", Method: http.MethodDelete, Path: "/journal", Off: panel.Kept == 0})
	return panel
}

// Open reports whether the exchange is shown in full.
func (e exchangeView) Open() bool { return e.Number == e.choice.exchange }

// Href links to the page with the exchange opened, or closed if it is open.
func (e exchangeView) Href() string {
	if e.Open() {
		return e.choice.withExchange(0).href()
	}
	return e.choice.withExchange(e.Number).href()
}

// TimeTaken returns the duration of a completed exchange.
func (e exchangeView) TimeTaken() string {
	if !e.Done {
		return ""
	}
	return durationWords(time.Duration(e.Duration))
}

// Class returns the status as a CSS class.
func (e exchangeView) Class() string {
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

// Words returns the status in words.
func (e exchangeView) Words() string {
	switch {
	case !e.Done:
		return "in progress"
	case e.Status == 0:
		return "no answer"
	default:
		return http.StatusText(e.Status)
	}
}

func messageOf(half string, m client.Message) messageView {
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
		view.Note = fmt.Sprintf("%d bytes that are not text", len(body))
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
