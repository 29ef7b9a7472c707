package console

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gorilla/mux"
	"github.com/shopspring/decimal"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/console/format"
)

const (
	// mostTriaged limits the bookings on which an operator acts together: a page of the API.
	mostTriaged = 100
	// triagedAtOnce limits the calls for them at the same time. Each may wait for the partner.
	triagedAtOnce = 4
)

// triage is some bookings on which an operator acts together.
type triage struct {
	frame
	Query   string // the filters of the list that they come from
	Acts    []triageAct
	Form    *form // additional input for the action
	List    []bookingRow
	Left    []bookingRow // that do not allow the action
	Totals  string       // of List
	Departs format.Period
	More    bool // there are more than mostTriaged
}

// Back returns the list that the bookings come from.
func (t *triage) Back() string { return root + "/bookings?" + t.Query }

// triageAct is an action that some of the bookings allow.
type triageAct struct {
	client.Action
	Bookings int
}

// Words returns how many bookings the button acts on.
func (a triageAct) Words() string { return plural.Count(a.Bookings, "booking") }

// chooseTriage shows the bookings of a list, and the actions that they allow.
func chooseTriage(x *exchange) error {
	query, asked, _, err := x.bookingFilters()
	if err != nil {
		return err
	}
	query.Set("attention", "true")
	asked.Set("attention", "true")
	asked.Set("limit", strconv.Itoa(mostTriaged))
	found, part, err := read[[]bookingView](x, "/operator/bookings", asked)
	if err != nil {
		return err
	}
	t := &triage{frame: frame{Page: "Act on several bookings", Section: "bookings"}, Query: query.Encode(), More: part.NextCursor != ""}
	for _, b := range found {
		t.List = append(t.List, newBookingRow(b))
	}
	t.count(client.MayConfirm, client.MayDeliver, client.MayResolve, client.MayCancel)
	return x.show(http.StatusOK, "triage.html", t)
}

// count counts the bookings that allow each action, and sums up what they cost.
func (t *triage) count(actions ...client.Action) {
	for _, action := range actions {
		n := 0
		for _, one := range t.List {
			if one.allows(action) {
				n++
			}
		}
		if n > 0 {
			t.Acts = append(t.Acts, triageAct{action, n})
		}
	}
}

// previewTriage shows what an action does to the chosen bookings.
func previewTriage(x *exchange) error {
	action := client.Action(x.given.Get("action"))
	t, err := x.readTriage(action)
	if err != nil {
		return err
	}
	t.Page = strings.TrimSuffix(actionWords(action).Label, "…")
	if action == client.MayCancel {
		t.Form = newForm(nil, cancelReason)
	}
	totals := map[string]client.Decimal{}
	for _, one := range t.List {
		sum, err := decimal.NewFromString(string(one.Total))
		if err != nil {
			return fmt.Errorf("the total of booking %s: %w", one.ID, err)
		}
		if before, known := totals[one.Currency]; known {
			sum = sum.Add(decimal.RequireFromString(string(before)))
		}
		totals[one.Currency] = client.Decimal(sum.String())
	}
	t.Totals = amounts(totals, x.reader())
	if len(t.List) > 0 {
		first := slices.MinFunc(t.List, func(a, b bookingRow) int { return a.Start.Compare(b.Start) })
		t.Departs = first.Slot()
	}
	return x.show(http.StatusOK, "triage-preview.html", t)
}

// readTriage reads the chosen bookings as they are now. Those that do not allow the action are left.
func (x *exchange) readTriage(action client.Action) (*triage, error) {
	if _, known := actions[action]; !known {
		return nil, &refusal{Status: http.StatusNotFound, Message: "page not found"}
	}
	query, err := url.ParseQuery(x.given.Get("query"))
	if err != nil {
		return nil, &refusal{Status: http.StatusBadRequest, Message: "the form cannot be read"}
	}
	ids := x.given["id"]
	if len(ids) > mostTriaged {
		return nil, &refusal{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("choose at most %d bookings", mostTriaged)}
	}
	t := &triage{frame: frame{Section: "bookings"}, Query: query.Encode()}
	for _, id := range ids {
		found, _, err := read[bookingView](x, "/operator/bookings/"+url.PathEscape(id), nil)
		if err != nil {
			return nil, err
		}
		if one := newBookingRow(found); one.allows(action) {
			t.List = append(t.List, one)
		} else {
			t.Left = append(t.Left, one)
		}
	}
	t.count(action)
	return t, nil
}

// triageBookings acts on the chosen bookings, and shows what came of each.
func triageBookings(x *exchange) error {
	action := client.Action(mux.Vars(x.r)["action"])
	t, err := x.readTriage(action)
	if err != nil {
		return err
	}
	t.Page = strings.TrimSuffix(actionWords(action).Label, "…")
	slots := make(chan struct{}, triagedAtOnce)
	var all sync.WaitGroup
	for i := range t.List {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			one := &t.List[i]
			b, err := send[client.Booking](x, http.MethodPost, "/operator/bookings/"+url.PathEscape(one.ID)+"/"+string(action), settleBody(action, x.given))
			if err != nil {
				one.Outcome = &note{Words: "Failed: " + failureWords(err), Failed: true}
				return
			}
			outcome := settledNote(b)
			one.Booking, one.Outcome = b, &outcome
		})
	}
	all.Wait()
	return x.show(http.StatusOK, "triage-outcome.html", t)
}

// failureWords describes the error of a call. Others than refusals are in the log of the API.
func failureWords(err error) string {
	if problem := asRefusal(err); problem != nil {
		return problem.words()
	}
	return "the service did not answer as expected."
}

// Done returns how many bookings need no attention any more.
func (t *triage) Done() (n int) {
	for _, one := range t.List {
		if one.settled() {
			n++
		}
	}
	return n
}

// TriageAddress returns the page that acts on the bookings of a cause.
func (c causeView) TriageAddress() string { return root + "/bookings/triage?" + c.query().Encode() }

// Address returns the list of the bookings of a cause.
func (c causeView) Address() string { return root + "/bookings?" + c.query().Encode() }

func (c causeView) query() url.Values {
	return url.Values{"attention": {"true"}, "mode": {"live"}, "partner": {c.IntegrationID}, "reason": {string(c.Reason)}}
}

// causeView is a cause of attention on the overview.
type causeView struct {
	client.AttentionCause
	Amounts string
}

func causeViews(all []client.AttentionCause, r format.Reader) (views []causeView) {
	for _, c := range all {
		views = append(views, causeView{c, amounts(c.Totals, r)})
	}
	return views
}
