package example

import (
	"fmt"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	products     = partnerapi.Products
	availability = partnerapi.Availability
	reserve      = partnerapi.Reserve
	confirm      = partnerapi.Confirm
	release      = partnerapi.Release
	cancel       = partnerapi.Cancel
)

type maker = func(rule.Rule) Example

func is(e Example) maker { return func(rule.Rule) Example { return e } }

// status returns an example of a call that is answered with the right or with a wrong status.
func status(e partnerapi.Endpoint, about string, right int, body string, wrong int, wrongBody string) maker {
	return is(pair(call(e, about, right, body), call(e, about, wrong, wrongBody)))
}

// families lists the kinds of rules that several endpoints have, by the suffix of their ids. Longer
// suffixes come first.
var families = []struct {
	suffix string
	make   maker
}{
	{".probe.auth.wrong-key", wrongKeyExample("with a wrong key and limit=1")},
	{".probe.auth.missing-key", wrongKeyExample("without an Authorization header and with limit=1")},
	{".auth.wrong-key", wrongKeyExample("with a wrong key")},
	{".auth.missing-key", wrongKeyExample("without an Authorization header")},
	{".auth.no-effect", func(r rule.Rule) Example {
		before, after := 12, 11 // what a call with the registered key would do to the seats
		if r.Endpoint == release || r.Endpoint == cancel {
			before, after = 11, 12
		}
		return seats(before, before, after, call(r.Endpoint, "with a wrong key", 401, unauthorized))
	}},
	{".probe.limit", lateAnswerExample("with limit=1")},
	{".limit", lateAnswerExample("")},
	{".aim", lateAnswerExample("")},
	{".content-type", func(r rule.Rule) Example {
		right, wrong := correctCall(r.Endpoint, ""), correctCall(r.Endpoint, "")
		right.Note, wrong.Note = "Content-Type: application/json", "Content-Type: text/html"
		return pair(right, wrong)
	}},
	{".json", func(r rule.Rule) Example {
		wrong := correctCall(r.Endpoint, "")
		wrong.Answer = wrong.Answer[:len(wrong.Answer)/2]
		wrong.Note = "and the connection ends"
		return pair(correctCall(r.Endpoint, ""), wrong)
	}},
	{".contact.any-alphabet", func(r rule.Rule) Example {
		about := `with {"fullName": "محمد 山田"}`
		return pair(correctCall(r.Endpoint, about), call(r.Endpoint, about, 500, empty))
	}},
	{".unknown-fields", func(r rule.Rule) Example {
		about := `with one more field {"x-trace": "1"}`
		return pair(correctCall(r.Endpoint, about), call(r.Endpoint, about, 500, empty))
	}},
	{".bad-input", func(r rule.Rule) Example {
		return pair(call(r.Endpoint, "with a body that is cut short", 400, `{"message": "The body is not JSON."}`), call(r.Endpoint, "with a body that is cut short", 500, empty))
	}},
	{".minimal-body", func(r rule.Rule) Example {
		about := "without contact and reference"
		return pair(correctCall(r.Endpoint, about), call(r.Endpoint, about, 400, `{"message": "contact is required"}`))
	}},
	{".without-body", func(r rule.Rule) Example {
		return pair(correctCall(r.Endpoint, "without a body"), call(r.Endpoint, "without a body", 415, empty))
	}},
	{".unknown.success", successExample("for a code that was never issued")},
	{".repeat.success", successExample("a second time")},
	{".success", successExample("")},
	{".unknown", statusOf("for a code that was never issued")},
	{".repeat.status", statusOf("a second time")},
	{".status", statusOf("")},
}

func wrongKeyExample(about string) maker {
	return func(r rule.Rule) Example {
		return pair(call(r.Endpoint, about, 401, unauthorized), correctCall(r.Endpoint, about))
	}
}

func lateAnswerExample(about string) maker {
	return func(r rule.Rule) Example {
		limit := r.Endpoint.Timeout(partnerapi.Healthy)
		right, wrong := correctCall(r.Endpoint, about), correctCall(r.Endpoint, about)
		right.Note, wrong.Note = fmt.Sprintf("after %s", limit/10), fmt.Sprintf("after %s", limit*5/4)
		return pair(right, wrong)
	}
}

func successExample(about string) maker {
	return func(r rule.Rule) Example {
		return pair(correctCall(r.Endpoint, about), call(r.Endpoint, about, 200, `{"success": false}`))
	}
}

func statusOf(about string) maker {
	return func(r rule.Rule) Example {
		return pair(correctCall(r.Endpoint, about), call(r.Endpoint, about, 500, `{"message": "Internal error"}`))
	}
}

// Parts of the exchanges.
var (
	hold      = correctCall(reserve, "for 1 guest")
	holdTwo   = correctCall(reserve, "for 2 guests")
	book      = correctCall(confirm, `with {"reservationConfirmationCode": "R-1"}`)
	bookAgain = correctCall(confirm, "a second time")
	giveBack  = correctCall(release, "")
	undo      = correctCall(cancel, "")
	again     = func(s Step, about string) Step { s.Call += " " + about; return s }
	dead      = func(why string) Step {
		return call(confirm, why, 400, `{"message": "This reservation has ended."}`)
	}
	deadWrong = func(why string) Step { return correctCall(confirm, why) }
	full      = list(slot("s-1", today, 12), slot("s-2", "2026-07-02", 4))
)

func booking(id string) string {
	return fmt.Sprintf(`{"externalBookingId": %q, "status": "CONFIRMED"}`, id)
}

func holdBody(code, expires string) string {
	return fmt.Sprintf(`{"reservationConfirmationCode": %q, "expiresAt": %q}`, code, expires)
}

// exchanges lists the examples of single rules, by rule id.
var exchanges = map[string]maker{
	"products.reachable":         is(pair(correctCall(products, ""), Step{Call: "GET /products", Answer: "no answer: connection refused"})),
	"products.auth.accepted":     is(pair(correctCall(products, "with the registered key"), call(products, "with the registered key", 401, unauthorized))),
	"products.shape":             status(products, "", 200, answers[products], 200, `{"items": []}`),
	"products.probe.status":      status(products, "with limit=1", 200, `[]`, 404, empty),
	"products.updated-since":     status(products, "with updated_since=2000-01-01T00:00:00Z", 200, answers[products], 400, `{"message": "updated_since is not supported"}`),
	"products.product.unique":    is(pair(call(products, "(ids only)", 200, `["walk", "cruise"]`), call(products, "(ids only)", 200, `["walk", "walk"]`))),
	"products.option.unique":     is(pair(call(products, "(option ids of one product)", 200, `["am", "pm"]`), call(products, "(option ids of one product)", 200, `["am", "am"]`))),
	"products.unit.unique":       is(pair(call(products, "(unit ids of one option)", 200, `["unit-adult", "unit-child"]`), call(products, "(unit ids of one option)", 200, `["unit-adult", "unit-adult"]`))),
	"products.product.permanent": stableIDExample("product", "walk"),
	"products.option.permanent":  stableIDExample("option", "am"),
	"products.unit.permanent":    stableIDExample("unit", "unit-adult"),
	"products.unit.fixed-id":     status(products, "(a unit)", 200, `{"id": "unit-adult", "type": "ADULT"}`, 200, `{"id": "adult-1", "type": "ADULT"}`),

	"products.option.adult-unit":         status(products, "(unit ids of an option)", 200, `["unit-adult", "unit-child"]`, 200, `["unit-child"]`),
	"products.unit.age-range":            status(products, "(restrictions of a unit)", 200, `{"minAge": 4, "maxAge": 17}`, 200, `{"minAge": 17, "maxAge": 4}`),
	"products.option.party-limits":       status(products, "(restrictions of an option)", 200, `{"minUnits": 2, "maxUnits": 9}`, 200, `{"minUnits": 9, "maxUnits": 2}`),
	"products.pricing.currency-decimals": status(products, "(a price)", 200, `{"original": 2500, "currency": "JPY", "currencyPrecision": 0}`, 200, `{"original": 2500, "currency": "JPY", "currencyPrecision": 2}`),

	"availability.fields":      status(availability, "", 200, slots(12), 200, list(slot("s-1", today, 12), "null")),
	"confirm.fields":           status(confirm, "", 200, ticketed, 200, `{"externalBookingId": "B-1", "status": "CONFIRMED", "tickets": [null]}`),
	"availability.shape":       status(availability, "", 200, slots(12), 200, `{"slots": `+slots(12)+`}`),
	"availability.empty":       status(availability, "for a day without slots", 200, `[]`, 404, empty),
	"availability.window":      status(availability, "for 2026-07-01 only", 200, slots(12), 200, full),
	"availability.slot.unique": status(availability, "", 200, full, 200, list(slot("s-1", today, 12), slot("s-1", "2026-07-02", 4))),
	"availability.slot.permanent": is(lastStepExample([]Step{availabilityStep("", 12)}, availabilityStep("once more", 12),
		call(availability, "once more", 200, list(slot("s-97", today, 12))))),
	"availability.slot.ends-later": status(availability, "", 200, slots(12), 200,
		`[{"id": "s-1", "localDateTimeStart": "2026-07-01T09:00:00+01:00", "localDateTimeEnd": "2026-07-01T08:00:00+01:00", "status": "AVAILABLE", "vacancies": 12}]`),
	"availability.one-day":    status(availability, "from 2026-07-01 to 2026-07-01", 200, slots(12), 200, `[]`),
	"availability.window-end": status(availability, "from 2026-06-01 to 2026-07-01", 200, slots(12), 200, `[]`),
	"availability.unit-pricing.known-unit": status(availability, "(unitPricing of a slot of an option with unit-adult)", 200,
		`[{"unitId": "unit-adult", "original": 2500, "currency": "EUR"}]`, 200, `[{"unitId": "unit-student", "original": 2500, "currency": "EUR"}]`),
	"availability.slot.within-capacity":    slotPair(`"AVAILABLE", "vacancies": 12, "capacity": 15`, `"AVAILABLE", "vacancies": 20, "capacity": 15`),
	"availability.slot.sold-out-empty":     slotPair(`"SOLD_OUT", "vacancies": 0`, `"SOLD_OUT", "vacancies": 3`),
	"availability.slot.open-has-seats":     slotPair(`"AVAILABLE", "vacancies": 3`, `"AVAILABLE", "vacancies": 0`),
	"availability.slot.freesale-uncounted": slotPair(`"FREESALE"`, `"FREESALE", "vacancies": 12`),
	"availability.slot.offset": status(availability, "of a product in Europe/Lisbon", 200, slots(12), 200,
		`[{"id": "s-1", "localDateTimeStart": "2026-07-01T09:00:00+02:00", "localDateTimeEnd": "2026-07-01T11:00:00+02:00", "status": "AVAILABLE", "vacancies": 12}]`),
	"availability.lifecycle": is(seats(12, 12, 11, holdTwo, hold, giveBack, correctCall(release, "for the other hold"))),

	"reserve.accepts":        status(reserve, "for a slot that is AVAILABLE", 200, answers[reserve], 400, refusal),
	"reserve.expires-later":  status(reserve, "at 2026-07-01T08:00:00+01:00", 200, holdBody("R-1", "2026-07-01T08:20:00+01:00"), 200, holdBody("R-1", "2026-07-01T07:59:00+01:00")),
	"reserve.expires-window": status(reserve, "at 2026-07-01T08:00:00+01:00", 200, holdBody("R-1", "2026-07-01T08:20:00+01:00"), 200, holdBody("R-1", "2026-07-01T08:02:00+01:00")),
	"reserve.code.unique": is(lastStepExample([]Step{hold}, call(reserve, "for 1 guest", 200, holdBody("R-2", "2026-07-01T08:21:00+01:00")),
		call(reserve, "for 1 guest", 200, holdBody("R-1", "2026-07-01T08:21:00+01:00")))),
	"reserve.kept-until-expiry":   is(Example{[]Step{hold, availabilityStep("before expiresAt", 11)}, []Step{hold, availabilityStep("before expiresAt", 12)}}),
	"reserve.vacancies.one":       is(seats(12, 11, 12, hold)),
	"reserve.vacancies.many":      is(seats(12, 10, 11, holdTwo)),
	"reserve.vacancies.mixed":     is(seats(12, 9, 10, correctCall(reserve, "for 2 adults and 1 child"))),
	"reserve.sold-out":            status(reserve, "for a slot that is SOLD_OUT", 400, refusal, 200, answers[reserve]),
	"reserve.too-many":            status(reserve, "for 3 guests, of a slot with 2 vacancies", 400, refusal, 200, answers[reserve]),
	"reserve.refusal.message":     status(reserve, "for a slot that is SOLD_OUT", 400, refusal, 400, empty),
	"reserve.refusal.no-effect":   is(seats(2, 2, 0, call(reserve, "for 3 guests", 400, refusal))),
	"reserve.party.outside":       status(reserve, `for 10 guests, of an option with {"maxUnits": 9}`, 400, refusal, 200, answers[reserve]),
	"reserve.party.within":        status(reserve, `for 9 guests, of an option with {"maxUnits": 9}`, 200, answers[reserve], 400, refusal),
	"reserve.race":                race(hold, call(reserve, "for 1 guest", 400, refusal), call(reserve, "for 1 guest", 200, holdBody("R-2", "2026-07-01T08:20:00+01:00"))),
	"reserve.nobody":              status(reserve, `with {"units": [{"id": "unit-adult", "quantity": 0}]}`, 400, refusal, 200, answers[reserve]),
	"reserve.bad-input.no-effect": is(seats(12, 12, 11, call(reserve, "with a body that is cut short", 400, refusal))),

	"confirm.tickets":             status(confirm, "", 200, ticketed, 200, booking("B-1")),
	"confirm.confirmed":           status(confirm, "", 200, booking("B-1"), 200, `{"externalBookingId": "B-1", "status": "PENDING"}`),
	"confirm.echo":                status(confirm, "of a hold of product walk", 200, `{"externalBookingId": "B-1", "status": "CONFIRMED", "productId": "walk"}`, 200, `{"externalBookingId": "B-1", "status": "CONFIRMED", "productId": "cruise"}`),
	"confirm.ticket.pdf-address":  status(confirm, "", 200, ticketed, 200, `{"externalBookingId": "B-1", "status": "CONFIRMED", "tickets": [{"redemptionMethod": "DIGITAL", "deliveryOptions": [{"deliveryFormat": "PDF_URL", "deliveryMethod": "VOUCHER", "deliveryValue": "tickets/B-1.pdf"}]}]}`),
	"confirm.booking-id.unique":   is(lastStepExample([]Step{book}, call(confirm, "of another hold", 200, booking("B-2")), call(confirm, "of another hold", 200, booking("B-1")))),
	"confirm.vacancies":           is(seats(11, 11, 10, book)),
	"confirm.repeat.booking":      is(lastStepExample([]Step{book}, bookAgain, call(confirm, "a second time", 200, booking("B-2")))),
	"confirm.repeat.vacancies":    is(seats(11, 11, 10, bookAgain)),
	"confirm.race":                race(book, bookAgain, call(confirm, "of the same code", 200, booking("B-2"))),
	"confirm.unknown":             is(pair(dead("of a code that was never issued"), deadWrong("of a code that was never issued"))),
	"confirm.released":            is(lastStepExample([]Step{giveBack}, dead("of the released code"), deadWrong("of the released code"))),
	"confirm.released.no-effect":  is(seats(12, 12, 11, dead("of the released code"))),
	"confirm.cancelled":           is(lastStepExample([]Step{undo}, dead("of the cancelled booking's code"), deadWrong("of the cancelled booking's code"))),
	"confirm.cancelled.no-effect": is(seats(12, 12, 11, dead("of the cancelled booking's code"))),
	"confirm.expired":             is(pair(dead("after expiresAt"), deadWrong("after expiresAt"))),
	"confirm.expired.no-effect":   is(seats(12, 12, 11, dead("after expiresAt"))),
	"confirm.refusal.message":     status(confirm, "of the released code", 400, refusal, 400, empty),

	"release.vacancies.one":           is(seats(11, 12, 11, giveBack)),
	"release.vacancies.many":          is(seats(10, 12, 11, giveBack)),
	"release.rebookable":              is(lastStepExample([]Step{availabilityStep("while the last seats are held", 0), giveBack}, hold, call(reserve, "for 1 guest", 400, refusal))),
	"release.repeat.vacancies":        is(seats(12, 12, 13, again(giveBack, "a second time"))),
	"release.race":                    race(giveBack, giveBack, availabilityStep("afterwards: one seat too many", 13)),
	"release.confirmed":               status(release, "for a confirmed code", 200, answers[release], 404, empty),
	"release.confirmed.keeps-booking": is(seats(11, 11, 12, again(giveBack, "for a confirmed code"))),
	"release.cancelled":               status(release, "for a cancelled booking's code", 200, answers[release], 404, empty),
	"release.cancelled.vacancies":     is(seats(12, 12, 13, again(giveBack, "for a cancelled booking's code"))),
	"release.expired":                 status(release, "after expiresAt", 200, answers[release], 404, empty),
	"release.expired.by-itself":       is(Example{[]Step{hold, availabilityStep("after expiresAt", 12)}, []Step{hold, availabilityStep("after expiresAt", 11)}}),
	"release.expired.vacancies":       is(Example{[]Step{again(giveBack, "after expiresAt"), availabilityStep("after", 12)}, []Step{again(giveBack, "after expiresAt"), availabilityStep("after", 11)}}),

	"cancel.supported":        is(pair(undo, call(cancel, "", 404, empty))),
	"cancel.vacancies":        is(seats(11, 12, 11, undo)),
	"cancel.repeat.vacancies": is(seats(12, 12, 13, again(undo, "a second time"))),
	"cancel.race":             race(undo, undo, availabilityStep("afterwards: one seat too many", 13)),
}

const ticketed = `{"externalBookingId": "B-1", "status": "CONFIRMED", "tickets": [{"redemptionMethod": "DIGITAL", "deliveryOptions": [{"deliveryFormat": "QRCODE", "deliveryMethod": "TICKET", "deliveryValue": "B-1-1"}]}]}`

func stableIDExample(what, id string) maker {
	about := fmt.Sprintf("(id of a %s)", what)
	first := call(products, about, 200, fmt.Sprintf("%q", id))
	return is(lastStepExample([]Step{first}, again(first, "once more"), call(products, about+" once more", 200, fmt.Sprintf("%q", id+"-2"))))
}

// slotPair returns an example about the status of a slot and its numbers.
func slotPair(right, wrong string) maker {
	body := func(rest string) string {
		return fmt.Sprintf(`[{"id": "s-1", "localDateTimeStart": "2026-07-01T09:00:00+01:00", "localDateTimeEnd": "2026-07-01T11:00:00+01:00", "status": %s}]`, rest)
	}
	return status(availability, "", 200, body(right), 200, body(wrong))
}

// race returns an example of two concurrent calls.
func race(first, right, wrong Step) maker {
	first.Note = "(both at the same time)"
	return is(lastStepExample([]Step{first}, right, wrong))
}
