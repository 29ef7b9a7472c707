package console

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"partnerkit.dev/marketplace/client"
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
func (b bookingView) MayCancel() bool { return b.Attention == nil && b.Status == client.Confirmed }

// anyOf is a field for an optional choice.
func anyOf(name, label, none string, values ...string) field {
	f := field{Name: name, Label: label, Kind: "choice", Choices: []choice{{"", none}}}
	for _, value := range values {
		f.Choices = append(f.Choices, choice{value, value})
	}
	return f
}

func listBookings(x *exchange) error {
	query := x.asked("attention", "status", "mode", "reseller", "q")
	f := newForm(query,
		field{Name: "q", Label: "Booking or guest", Kind: "search", Hint: "An id, the reseller's reference, the partner's booking id, or the guest's name, email address or telephone number."},
		anyOf("status", "Status", "all", "HELD", "PAID", "CONFIRMED", "RELEASED", "CANCELLED", "RESERVING", "REFUSED", "LOST"),
		anyOf("mode", "Mode", "all", "live", "test"),
		field{Name: "reseller", Label: "Reseller", Kind: "search", Hint: "Its id or its email address."},
		field{Name: "attention", Label: "Only what needs attention", Kind: "checkbox"},
	)
	asked := maps.Clone(query)
	if words := query.Get("reseller"); strings.Contains(words, "@") {
		found, err := x.resellerOf(words)
		if err != nil {
			return err
		}
		if found == "" {
			f.refuse(&refusal{Details: []string{"reseller: no reseller has this address"}})
			return x.show(http.StatusOK, "bookings.html", &listPage[bookingView]{frame: frame{Page: "Bookings", Section: "bookings"}, Form: f, Filtered: true})
		}
		asked.Set("reseller_id", found)
		asked.Del("reseller")
	}
	return search[bookingView](x, "Bookings", "bookings", f, query, asked)
}

// resellerOf returns the account with a reseller's email address, or "".
func (x *exchange) resellerOf(email string) (string, error) {
	list, _, err := read[[]client.Account](x, "/operator/accounts", url.Values{"role": {"reseller"}, "q": {email}})
	for _, account := range list {
		if strings.EqualFold(account.Email, strings.TrimSpace(email)) {
			return account.ID, err
		}
	}
	return "", err
}

type bookingPage struct {
	frame
	bookingView
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
		if said := refused(err); err != nil && (said == nil || said.Status != http.StatusNotFound) { // something deleted has no name
			return err
		}
	}
	return x.show(http.StatusOK, "booking.html", p)
}

// settled describes a booking after an action.
func settled(b client.Booking) string {
	words := "The booking is now " + string(b.Status)
	if b.Attention != nil {
		words += ", and still needs attention: " + strings.ToLower(reason(b.Attention.Reason)[:1]) + reason(b.Attention.Reason)[1:]
	}
	return words + "."
}

// settle calls the API for an action.
func settle(action client.Action) handler {
	return func(x *exchange) error {
		var body any = struct{}{}
		if action == client.MayCancel {
			body = map[string]string{"reason": x.given.Get("reason")}
		}
		call := func() (string, error) {
			b, err := send[client.Booking](x, http.MethodPost, "/operator/bookings/"+x.id()+"/"+string(action), body)
			return settled(b), err
		}
		return x.act(root+"/bookings/"+x.id(), call)
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
	return x.confirm("Cancel the booking", "bookings", confirmPage{
		Says: says, Do: "Cancel booking", Action: found.Address() + "/cancel", Back: found.Address(),
		Form: newForm(nil, field{Name: "reason", Label: "Reason", Hint: "At most 500 characters. The partner reads it. It may be empty."}),
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
	return x.confirm("Erase the guest's data", "bookings", confirmPage{
		Says: []string{
			"The guest's name, email address and telephone number are erased permanently, with everything that the partner or an operator wrote about the booking.",
			"The booking stays. The partner and the reseller keep their own copies; tell them if you must.",
		},
		Do: "Erase the guest's data", Action: found.Address() + "/erase-guest", Back: found.Address(),
	})
}

func eraseGuest(x *exchange) error {
	return x.act(root+"/bookings/"+x.id(), func() (string, error) {
		_, err := send[client.Booking](x, http.MethodPost, "/operator/bookings/"+x.id()+"/erase-guest", struct{}{})
		return "Guest data erased.", err
	})
}
