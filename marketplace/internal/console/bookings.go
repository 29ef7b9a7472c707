package console

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/console/format"
)

// bookingView is a booking with its page's address.
type bookingView struct{ client.Booking }

// Address returns the booking's page.
func (b bookingView) Address() string { return root + "/bookings/" + b.ID }

// Guests returns the party, such as 2 ADULT, 1 CHILD.
func (b bookingView) Guests() string {
	var list []string
	for _, unit := range b.Units {
		list = append(list, strconv.Itoa(unit.Quantity)+" "+string(unit.Type))
	}
	return strings.Join(list, ", ")
}

// MayCancel reports whether a booking that needs no attention can be cancelled.
func (b bookingView) MayCancel() bool {
	return b.Attention == nil && b.Status == client.Confirmed && b.RescheduledTo == ""
}

// anyOf is a field for an optional choice.
func anyOf(name, label, none string, values ...string) field {
	f := field{Name: name, Label: label, Kind: "choice", Choices: []choice{{"", none}}}
	for _, value := range values {
		f.Choices = append(f.Choices, choice{value, value})
	}
	return f
}

// Slot returns the slot in the product's zone.
func (b bookingView) Slot() format.Period { return format.FormatSlot(b.TimeZone, b.Start, b.End) }

// moreFilters are the filters that the page shows only when asked.
var moreFilters = []string{"reason", "activity", "partner", "reseller", "start_from", "start_to", "created_from", "created_to"}

// HasMore reports whether one of moreFilters is set or wrong.
func (f *form) HasMore() bool {
	return slices.ContainsFunc(f.Fields, func(one field) bool {
		return slices.Contains(moreFilters, one.Name) && (one.Value != "" || one.Error != "")
	})
}

// bookingFilters reads the filters of the list of bookings: as they were given, and as the API takes
// them. The error names the filters that match nothing.
func (x *exchange) bookingFilters() (query, asked url.Values, wrong *refusal, err error) {
	query = x.queryValues(append([]string{"attention", "status", "mode", "q"}, moreFilters...)...)
	asked, wrong, err = x.askedBookings(query)
	return query, asked, wrong, err
}

// askedBookings returns the filters of the list as the API takes them, and those that match nothing.
func (x *exchange) askedBookings(query url.Values) (asked url.Values, wrong *refusal, err error) {
	asked = maps.Clone(query)
	wrong = &refusal{}
	for _, filter := range []struct {
		name, parameter string
		find            func(string) (string, error)
	}{{"activity", "activity_id", x.activityOf}, {"partner", "integration_id", x.integrationOf}, {"reseller", "reseller_id", x.resellerOf}} {
		words := strings.TrimSpace(query.Get(filter.name))
		asked.Del(filter.name)
		if words == "" {
			continue
		}
		id, err := words, error(nil)
		if uuid.Validate(words) != nil {
			id, err = filter.find(words)
		}
		if problem := asRefusal(err); problem != nil && problem.Status == 0 {
			wrong.Details = append(wrong.Details, filter.name+": "+problem.Message)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		asked.Set(filter.parameter, id)
	}
	return asked, wrong, nil
}

// reasonField is a filter for a reason for attention.
func reasonField() field {
	f := field{Name: "reason", Label: "Reason for attention", Kind: "choice", Choices: []choice{{"", "all"}}}
	for _, r := range slices.Sorted(maps.Keys(reasons)) {
		f.Choices = append(f.Choices, choice{string(r), reason(r)})
	}
	return f
}

func listBookings(x *exchange) error {
	query, asked, wrong, err := x.bookingFilters()
	if err != nil {
		return err
	}
	f := newForm(query,
		field{Name: "q", Label: "Guest, reference or id", Kind: "search"},
		anyOf("status", "Status", "all", "HELD", "PAID", "CONFIRMED", "RELEASED", "CANCELLED", "RESERVING", "REFUSED", "LOST"),
		anyOf("mode", "Mode", "all", "live", "test"),
		field{Name: "attention", Label: "Only what needs attention", Kind: "checkbox"},
		reasonField(),
		field{Name: "activity", Label: "Activity", Hint: "Its id, or a part of its title."},
		field{Name: "partner", Label: "Partner", Hint: "Its id, or a part of its name."},
		field{Name: "reseller", Label: "Reseller", Hint: "Its id or its email address."},
		field{Name: "start_from", Label: "Slot from (UTC)", Kind: "date"}, field{Name: "start_to", Label: "Slot until (UTC)", Kind: "date"},
		field{Name: "created_from", Label: "Created from (UTC)", Kind: "date"}, field{Name: "created_to", Label: "Created until (UTC)", Kind: "date"},
	)
	if len(wrong.Details) > 0 {
		f.refuse(wrong)
		return x.show(http.StatusUnprocessableEntity, "bookings.html", &bookingsPage{listPage: listPage[bookingView]{frame: frame{Page: "Bookings", Section: "bookings"}, Form: f, Filtered: true}})
	}
	found, status, err := find[bookingView](x, "Bookings", "bookings", f, query, asked)
	if err != nil {
		return err
	}
	p := &bookingsPage{listPage: *found}
	if query.Get("attention") != "" || query.Get("reason") != "" {
		query.Del("cursor")
		query.Del("page")
		p.Triage = root + "/bookings/triage?" + query.Encode()
	}
	return x.show(status, "bookings.html", p)
}

type bookingsPage struct {
	listPage[bookingView]
	Triage string // the page that acts on all of them; "": they may need no attention
}

// mostNamed is how many objects an error names.
const mostNamed = 5

// oneOf returns the id of the only object with a name, or a refusal without a status.
func oneOf(what, words string, names map[string]string) (string, error) {
	for id, name := range names {
		if len(names) == 1 || strings.EqualFold(name, words) {
			return id, nil
		}
	}
	if len(names) == 0 {
		return "", &refusal{Message: "no " + what + " matches"}
	}
	list := slices.Sorted(maps.Values(names))
	more := ""
	if len(list) > mostNamed {
		list, more = list[:mostNamed], ", …"
	}
	return "", &refusal{Message: "several match: " + strings.Join(list, ", ") + more}
}

// searchQuery asks for the longest page of what has these words. The only exact name may be anywhere in it.
func searchQuery(words string) url.Values { return url.Values{"q": {words}, "limit": {"100"}} }

func (c *caller) activityOf(words string) (string, error) {
	list, _, err := read[[]client.OperatorActivity](c, "/operator/activities", searchQuery(words))
	names := map[string]string{}
	for _, one := range list {
		names[one.ID] = one.Title
	}
	if err != nil {
		return "", err
	}
	return oneOf("activity", words, names)
}

func (c *caller) integrationOf(words string) (string, error) {
	list, _, err := read[[]client.Integration](c, "/partner-integrations", searchQuery(words))
	names := map[string]string{}
	for _, one := range list {
		names[one.ID] = one.Name
	}
	if err != nil {
		return "", err
	}
	return oneOf("integration", words, names)
}

// resellerOf returns the account with a reseller's email address.
func (c *caller) resellerOf(email string) (string, error) {
	list, _, err := read[[]client.Account](c, "/operator/accounts", url.Values{"role": {"reseller"}, "q": {email}})
	for _, account := range list {
		if strings.EqualFold(account.Email, email) {
			return account.ID, err
		}
	}
	if err != nil {
		return "", err
	}
	return "", &refusal{Message: "no reseller has this address"}
}

type bookingPage struct {
	frame
	bookingView
	Walk        walk
	Reseller    string // its email address, or its id if it is unknown
	Integration string // its name; "" if it was deleted
	Activity    string // its title
}

func showBooking(x *exchange) error {
	found, _, err := read[bookingView](x, "/operator/bookings/"+x.id(), nil)
	if err != nil {
		return err
	}
	p := &bookingPage{frame: frame{Page: "Booking " + found.ID, Section: "bookings"}, bookingView: found, Reseller: found.ResellerID}
	account, _, err := read[client.Account](x, "/operator/accounts/"+found.ResellerID, nil)
	if err == nil {
		p.Reseller = account.Email
	}
	integration, _, err2 := read[client.Integration](x, "/partner-integrations/"+found.IntegrationID, nil)
	p.Integration = integration.Name
	activity, _, err3 := read[client.OperatorActivity](x, "/operator/activities/"+found.ActivityID, nil)
	p.Activity = cmp.Or(activity.Title, found.ActivityID)
	for _, err := range []error{err, err2, err3} {
		if problem := asRefusal(err); err != nil && (problem == nil || problem.Status != http.StatusNotFound) { // something deleted has no name
			return err
		}
	}
	p.Walk, err = x.walk("bookings", found.ID, func(list url.Values) (url.Values, error) {
		asked, _, err := x.askedBookings(list)
		return asked, err
	})
	if err != nil {
		return err
	}
	return x.show(http.StatusOK, "booking.html", p)
}

// settledNote describes a booking after an action. A booking that still needs attention is not done.
func settledNote(b client.Booking) note {
	if b.Attention == nil {
		return note{Words: "The booking is now " + string(b.Status) + "."}
	}
	words := "The booking is " + string(b.Status) + " and still needs attention: " + strings.ToLower(reason(b.Attention.Reason)[:1]) + reason(b.Attention.Reason)[1:] + "."
	if said := quote(*b.Attention); said != "" {
		words += " " + said
	}
	return note{Words: words, Open: true}
}

// settleBody is the API's body for an action.
func settleBody(action client.Action, given url.Values) any {
	if action == client.MayCancel {
		return map[string]string{"reason": given.Get("reason")}
	}
	return struct{}{}
}

// cancelReason is the field for the reason of a cancellation.
var cancelReason = field{Name: "reason", Label: "Reason", Hint: "At most 500 characters. The partner reads it. It may be empty."}

// settle calls the API for an action.
func settle(action client.Action) handler {
	return func(x *exchange) error {
		call := func() (note, error) {
			b, err := send[client.Booking](x, http.MethodPost, "/operator/bookings/"+x.id()+"/"+string(action), settleBody(action, x.given))
			return settledNote(b), err
		}
		return x.actWith(root+"/bookings/"+x.id()+x.place("bookings").Query(), call)
	}
}

func askToCancel(x *exchange) error {
	found, _, err := read[bookingView](x, "/operator/bookings/"+x.id(), nil)
	if err != nil {
		return err
	}
	says := []string{"The booking becomes CANCELLED. You cannot undo this.", "The marketplace moves no money. Refund the customer through the payment provider."}
	if found.Status == client.Confirmed {
		says = append(says, "The cancellation is sent to the partner until the partner accepts it.")
	} else {
		says = append(says, "The partner's hold is released, if there still is one.")
	}
	from := x.place("bookings").Query()
	return x.confirm("Cancel the booking", "bookings", confirmPage{
		Says: says, Do: "Cancel booking", Keep: "Keep booking", Action: found.Address() + "/cancel" + from, Back: found.Address() + from,
		Form: newForm(nil, cancelReason),
	})
}

// MayErase reports whether guest data exists.
func (b bookingView) MayErase() bool {
	return b.Contact != (client.Contact{}) && b.Status != client.Reserving && b.Status != client.Held && b.Status != client.Paid
}

func askToErase(x *exchange) error {
	found, _, err := read[bookingView](x, "/operator/bookings/"+x.id(), nil)
	if err != nil {
		return err
	}
	from := x.place("bookings").Query()
	return x.confirm("Erase the guest's data", "bookings", confirmPage{
		Says: []string{
			"The guest's name, email address and telephone number are erased permanently, with everything that the partner or an operator wrote about the booking.",
			"The booking stays. The partner and the reseller keep their own copies; tell them if you must.",
		},
		Do: "Erase the guest's data", Action: found.Address() + "/erase-guest" + from, Back: found.Address() + from,
	})
}

func eraseGuest(x *exchange) error {
	return x.act(root+"/bookings/"+x.id()+x.place("bookings").Query(), func() (string, error) {
		_, err := send[client.Booking](x, http.MethodPost, "/operator/bookings/"+x.id()+"/erase-guest", struct{}{})
		return "Guest data erased.", err
	})
}
