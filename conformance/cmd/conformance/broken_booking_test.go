package main_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// refusals makes a hook for the refusals, 400, of one endpoint.
func refusals(endpoint partnerapi.Endpoint, change func(*exchange)) hook {
	return hook{after: func(e *exchange) {
		if e.endpoint == endpoint && e.status == http.StatusBadRequest {
			change(e)
		}
	}}
}

// fakeHold answers with a hold that the platform knows nothing of.
func fakeHold(e *exchange) {
	e.mu.Lock()
	n := e.calls[partnerapi.Reserve]
	e.mu.Unlock()
	e.reply(http.StatusOK, partnerapi.ReserveAnswer{
		ReservationConfirmationCode: fmt.Sprintf("fake-%d", n),
		ExpiresAt:                   partnerapi.FormatDateTime(time.Now().Add(20 * time.Minute)),
	})
}

func brokenReserves() []brokenPartner {
	reserved := func(change func(*exchange, partnerapi.ReserveRequest)) hook {
		return on(partnerapi.Reserve, func(e *exchange) { change(e, e.reserve()) })
	}
	edited := func(change func(map[string]any)) hook {
		return on(partnerapi.Reserve, func(e *exchange) { e.edit(change) })
	}
	return []brokenPartner{
		{name: "a hold takes no seat", rule: "reserve.vacancies.one", hook: reserved(func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, party(r)) })},
		{name: "a hold of the last option takes no seat", rule: "reserve.vacancies.one", hook: reserved(func(e *exchange, r partnerapi.ReserveRequest) {
			if r.OptionID == lastOption {
				e.move(r, party(r))
			}
		})},
		{name: "a hold takes a seat too many", rule: "reserve.vacancies.one", hook: reserved(func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, -1) })},
		{name: "a party takes one seat", rule: "reserve.vacancies.many", hook: reserved(func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, party(r)-1) })},
		{name: "only the first guest type is counted", rule: "reserve.vacancies.mixed", hook: reserved(func(e *exchange, r partnerapi.ReserveRequest) {
			e.move(r, party(r)-r.Units[0].Quantity)
		})},
		{name: "a full slot is reserved", rule: "reserve.sold-out", hook: refusals(partnerapi.Reserve, func(e *exchange) {
			if e.vacancies(e.reserve()) == 0 {
				fakeHold(e)
			}
		})},
		{name: "a full slot is a conflict", rule: "reserve.sold-out", hook: refusals(partnerapi.Reserve, func(e *exchange) {
			if e.vacancies(e.reserve()) == 0 {
				e.status = http.StatusConflict
			}
		})},
		{name: "parties larger than the seats left are reserved", rule: "reserve.too-many", hook: refusals(partnerapi.Reserve, func(e *exchange) {
			if e.vacancies(e.reserve()) != 0 && party(e.reserve()) > 1 {
				fakeHold(e)
			}
		})},
		{name: "a refusal says nothing", rule: "reserve.refusal.message", hook: refusals(partnerapi.Reserve, func(e *exchange) {
			e.reply(http.StatusBadRequest, map[string]any{"error": "SOLD_OUT"})
		})},
		{name: "a refusal takes a seat", rule: "reserve.refusal.no-effect", hook: refusals(partnerapi.Reserve, func(e *exchange) { e.move(e.reserve(), -1) })},
		{name: "a hold has no code", rule: "reserve.code", hook: edited(without("reservationConfirmationCode"))},
		{name: "a hold's code is a number", rule: "reserve.code", hook: edited(set("reservationConfirmationCode", 4711))},
		{name: "a hold does not say when it expires", rule: "reserve.expires-at", hook: edited(without("expiresAt"))},
		{name: "a hold's expiry has no offset", rule: "reserve.expires-at", hook: edited(func(o map[string]any) { o["expiresAt"] = o["expiresAt"].(string)[:19] })},
		{name: "a hold has expired when it is made", rule: "reserve.expires-later", hook: edited(set("expiresAt", "2020-01-01T00:00:00Z"))},
		{name: "codes come round again", rule: "reserve.code.unique", hook: recycledCodes()},
		{name: "the last option refuses everybody", rule: "reserve.accepts", hook: reserved(func(e *exchange, r partnerapi.ReserveRequest) {
			if r.OptionID == lastOption {
				e.reply(http.StatusBadRequest, partnerapi.Refusal{Message: "not today"})
			}
		})},
		{name: "everybody is refused", rule: "reserve.accepts", hook: reserved(func(e *exchange, _ partnerapi.ReserveRequest) {
			e.reply(http.StatusBadRequest, partnerapi.Refusal{Message: "not today"})
		})},
		{name: "reserve fails", rule: "reserve.status", hook: reserved(func(e *exchange, _ partnerapi.ReserveRequest) { e.reply(http.StatusInternalServerError, nil) })},
		{name: "reserve is answered in XML", rule: "reserve.json", hook: reserved(func(e *exchange, _ partnerapi.ReserveRequest) { e.answer = []byte("<hold/>") })},
		{name: "a contact is demanded", rule: "reserve.minimal-body", hook: hook{before: func(e *exchange) {
			if e.endpoint == partnerapi.Reserve && e.reserve().Contact == nil {
				e.reply(http.StatusBadRequest, partnerapi.Refusal{Message: "contact is required"})
			}
		}}},
	}
}

// recycledCodes makes a hook that gives out three codes, in turn.
func recycledCodes() hook {
	var issued int
	realOf := map[string]string{}
	return hook{
		before: func(e *exchange) {
			e.mu.Lock()
			code, ok := realOf[e.id]
			confirmed, confirming := realOf[e.code()]
			e.mu.Unlock()
			if ok && e.endpoint == partnerapi.Release {
				e.request.URL.Path, e.request.URL.RawPath = "/bookings/"+code, ""
				e.body = nil
			}
			if confirming && e.endpoint == partnerapi.Confirm {
				e.body = []byte(strings.Replace(string(e.body), e.code(), confirmed, 1))
			}
		},
		after: func(e *exchange) {
			if e.endpoint != partnerapi.Reserve || !e.ok() {
				return
			}
			e.edit(func(answer map[string]any) {
				e.mu.Lock()
				defer e.mu.Unlock()
				issued++
				alias := fmt.Sprintf("code-%d", issued%3)
				realOf[alias] = answer["reservationConfirmationCode"].(string)
				answer["reservationConfirmationCode"] = alias
			})
		},
	}
}

func brokenConfirms() []brokenPartner {
	edited := func(change func(map[string]any)) hook {
		return on(partnerapi.Confirm, func(e *exchange) { e.edit(change) })
	}
	ticket := func(change func(map[string]any)) hook {
		return edited(func(answer map[string]any) { change(last(answer["tickets"])) })
	}
	delivery := func(change func(map[string]any)) hook {
		return ticket(func(t map[string]any) { change(last(t["deliveryOptions"])) })
	}
	first := func(change func(*exchange, partnerapi.ReserveRequest)) hook {
		return on(partnerapi.Confirm, func(e *exchange) {
			if request, ok := e.heldBy(e.code()); ok && !e.isConfirmed(e.code()) {
				change(e, request)
			}
		})
	}
	again := func(change func(*exchange, partnerapi.ReserveRequest)) hook {
		return on(partnerapi.Confirm, func(e *exchange) {
			if request, ok := e.heldBy(e.code()); ok && e.isConfirmed(e.code()) {
				change(e, request)
			}
		})
	}
	// refused makes a hook for the refused confirms of codes that were known once.
	refused := func(booked bool, change func(*exchange, partnerapi.ReserveRequest)) hook {
		return refusals(partnerapi.Confirm, func(e *exchange) {
			if request, ok := e.heldBy(e.code()); ok && e.isConfirmed(e.code()) == booked {
				change(e, request)
			}
		})
	}
	accept := func(e *exchange, _ partnerapi.ReserveRequest) {
		e.reply(http.StatusOK, partnerapi.ConfirmAnswer{ExternalBookingID: "again-" + e.code(), Status: partnerapi.StatusConfirmed, Tickets: []partnerapi.Ticket{{
			RedemptionMethod: "DIGITAL", DeliveryOptions: []partnerapi.DeliveryOption{{DeliveryFormat: partnerapi.QRCode, DeliveryMethod: partnerapi.DeliverTicket, DeliveryValue: "x"}},
		}}})
	}
	take := func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, -1) }
	expired := func(e *exchange) bool {
		hold, ok := e.holdOf(e.code())
		return ok && hold.State == "EXPIRED"
	}
	return []brokenPartner{
		{name: "confirm is answered with 201", rule: "confirm.status", hook: on(partnerapi.Confirm, func(e *exchange) { e.status = http.StatusCreated })},
		{name: "confirm is answered with a list", rule: "confirm.json", hook: on(partnerapi.Confirm, func(e *exchange) { e.answer = []byte("[" + string(e.answer) + "]") })},
		{name: "a booking has no id", rule: "confirm.booking-id", hook: edited(without("externalBookingId"))},
		{name: "a booking's status is a number", rule: "confirm.status-field", hook: edited(set("status", 1))},
		{name: "a booking's uuid is a number", rule: "confirm.optional-fields", hook: edited(set("uuid", 1))},
		{name: "a booking has no tickets", rule: "confirm.tickets", hook: edited(without("tickets"))},
		{name: "a booking's tickets are none", rule: "confirm.tickets", hook: edited(set("tickets", []any{}))},
		{name: "the last ticket is not redeemable", rule: "confirm.ticket.redemption-method", hook: ticket(without("redemptionMethod"))},
		{name: "the last ticket's deliveries are one object", rule: "confirm.ticket.delivery-options", hook: ticket(set("deliveryOptions", map[string]any{}))},
		{name: "the last delivery is a QR code, written so", rule: "confirm.ticket.delivery-format", hook: delivery(set("deliveryFormat", "QR-Code"))},
		{name: "the last delivery goes by e-mail", rule: "confirm.ticket.delivery-method", hook: delivery(set("deliveryMethod", "EMAIL"))},
		{name: "the last delivery's value is a number", rule: "confirm.ticket.delivery-value", hook: delivery(set("deliveryValue", 123))},
		{name: "contact and reference are demanded", rule: "confirm.minimal-body", hook: hook{before: func(e *exchange) {
			if e.endpoint == partnerapi.Confirm && !strings.Contains(string(e.body), "contact") {
				e.reply(http.StatusBadRequest, partnerapi.Refusal{Message: "contact is required"})
			}
		}}},
		{name: "confirm gives the seat back", rule: "confirm.vacancies", hook: first(func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, 1) })},
		{name: "confirm gives the seat of the last option back", rule: "confirm.vacancies", hook: first(func(e *exchange, r partnerapi.ReserveRequest) {
			if r.OptionID == lastOption {
				e.move(r, 1)
			}
		})},
		{name: "confirm takes the seat once more", rule: "confirm.vacancies", hook: first(take)},
		{name: "a second confirm makes a second booking", rule: "confirm.repeat.booking", hook: again(func(e *exchange, r partnerapi.ReserveRequest) {
			take(e, r)
			e.edit(set("externalBookingId", "second-"+e.code()))
		})},
		{name: "a second confirm takes a second seat", rule: "confirm.repeat.vacancies", hook: again(take)},
		{name: "booking ids are those of the slot", rule: "confirm.booking-id.unique", hook: recycledBookings()},
		{name: "an unknown code is not found", rule: "confirm.unknown", hook: refusals(partnerapi.Confirm, func(e *exchange) {
			if _, known := e.heldBy(e.code()); !known {
				e.status = http.StatusNotFound
			}
		})},
		{name: "an unknown code is booked", rule: "confirm.unknown", hook: refusals(partnerapi.Confirm, func(e *exchange) { accept(e, partnerapi.ReserveRequest{}) })},
		{name: "a released code is booked", rule: "confirm.released", hook: refused(false, func(e *exchange, r partnerapi.ReserveRequest) {
			if !expired(e) {
				accept(e, r)
			}
		})},
		{name: "a refused confirm of a released code takes a seat", rule: "confirm.released.no-effect", hook: refused(false, func(e *exchange, r partnerapi.ReserveRequest) {
			if !expired(e) {
				take(e, r)
			}
		})},
		{name: "a cancelled code is booked", rule: "confirm.cancelled", hook: refused(true, accept)},
		{name: "a refused confirm of a cancelled code takes a seat", rule: "confirm.cancelled.no-effect", hook: refused(true, take)},
		{name: "an expired code is booked", rule: "confirm.expired", hook: refused(false, func(e *exchange, r partnerapi.ReserveRequest) {
			if expired(e) {
				accept(e, r)
			}
		})},
		{name: "a refused confirm of an expired code takes a seat", rule: "confirm.expired.no-effect", hook: refused(false, func(e *exchange, r partnerapi.ReserveRequest) {
			if expired(e) {
				take(e, r)
			}
		})},
		{name: "a refused confirm says nothing", rule: "confirm.refusal.message", hook: refusals(partnerapi.Confirm, func(e *exchange) { e.reply(http.StatusBadRequest, nil) })},
	}
}

// recycledBookings makes a hook that gives every booking the same id.
func recycledBookings() hook {
	var latest string
	const alias = "booking"
	return hook{
		before: func(e *exchange) {
			e.mu.Lock()
			defer e.mu.Unlock()
			if e.endpoint == partnerapi.Cancel && e.id == alias {
				e.request.URL.Path, e.request.URL.RawPath = "/bookings/"+latest+"/cancel", ""
			}
		},
		after: func(e *exchange) {
			if e.endpoint == partnerapi.Confirm && e.ok() {
				e.edit(func(answer map[string]any) {
					e.mu.Lock()
					defer e.mu.Unlock()
					latest = answer["externalBookingId"].(string)
					answer["externalBookingId"] = alias
				})
			}
		},
	}
}

func brokenReleases() []brokenPartner {
	// released makes a hook for the releases of holds that were live.
	released := func(change func(*exchange, partnerapi.ReserveRequest)) hook {
		return on(partnerapi.Release, func(e *exchange) {
			if request, ok := e.heldBy(e.id); ok && !e.hasEnded(e.id) && !e.isConfirmed(e.id) {
				change(e, request)
			}
		})
	}
	again := func(change func(*exchange, partnerapi.ReserveRequest)) hook {
		return on(partnerapi.Release, func(e *exchange) {
			if request, ok := e.heldBy(e.id); ok && e.hasEnded(e.id) && !e.isConfirmed(e.id) {
				change(e, request)
			}
		})
	}
	confirmed := func(change func(*exchange, partnerapi.ReserveRequest)) hook {
		return on(partnerapi.Release, func(e *exchange) {
			if request, ok := e.heldBy(e.id); ok && e.isConfirmed(e.id) {
				change(e, request)
			}
		})
	}
	unknown := func(change func(*exchange)) hook {
		return on(partnerapi.Release, func(e *exchange) {
			if _, ok := e.heldBy(e.id); !ok {
				change(e)
			}
		})
	}
	isExpired := func(e *exchange) bool {
		hold, ok := e.holdOf(e.id)
		return ok && hold.State == "EXPIRED"
	}
	shut := map[string]bool{}
	return []brokenPartner{
		{name: "release is answered without a body", rule: "release.status", hook: released(func(e *exchange, _ partnerapi.ReserveRequest) { e.reply(http.StatusNoContent, nil) })},
		{name: "release is answered with OK", rule: "release.json", hook: released(func(e *exchange, _ partnerapi.ReserveRequest) { e.answer = []byte("OK") })},
		{name: "release says success in words", rule: "release.success", hook: released(func(e *exchange, _ partnerapi.ReserveRequest) { e.edit(set("success", "true")) })},
		{name: "a release of the last option gives no seat back", rule: "release.vacancies.one", hook: released(func(e *exchange, r partnerapi.ReserveRequest) {
			if r.OptionID == lastOption && !isExpired(e) {
				e.move(r, -party(r))
			}
		})},
		{name: "a release gives twice the seats back", rule: "release.vacancies.one", hook: released(func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, party(r)) })},
		{name: "a release gives one seat back, whatever the party", rule: "release.vacancies.many", hook: released(func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, 1-party(r)) })},
		{name: "a slot that was full stays shut", rule: "release.rebookable", hook: hook{after: func(e *exchange) {
			if e.endpoint != partnerapi.Reserve {
				return
			}
			e.mu.Lock()
			defer e.mu.Unlock()
			slot := e.reserve().AvailabilityID
			if e.ok() && shut[slot] {
				e.reply(http.StatusBadRequest, partnerapi.Refusal{Message: "sold out"})
			}
			if !e.ok() && party(e.reserve()) == 1 {
				shut[slot] = true
			}
		}}},
		{name: "a body is demanded", rule: "release.without-body", hook: hook{before: func(e *exchange) {
			if e.endpoint == partnerapi.Release && len(e.body) == 0 {
				e.reply(http.StatusBadRequest, nil)
			}
		}}},
		{name: "an unknown code is not found", rule: "release.unknown", hook: unknown(func(e *exchange) { e.status = http.StatusNotFound })},
		{name: "an unknown code is no success", rule: "release.unknown.success", hook: unknown(func(e *exchange) { e.edit(set("success", false)) })},
		{name: "a second release is gone", rule: "release.repeat.status", hook: again(func(e *exchange, _ partnerapi.ReserveRequest) { e.status = http.StatusGone })},
		{name: "a second release gives the seats back again", rule: "release.repeat.vacancies", hook: again(func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, party(r)) })},
		{name: "a confirmed code is a conflict", rule: "release.confirmed", hook: confirmed(func(e *exchange, _ partnerapi.ReserveRequest) { e.status = http.StatusConflict })},
		{name: "releasing a confirmed code gives its seat away", rule: "release.confirmed.keeps-booking", hook: confirmed(func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, 1) })},
		{name: "an expired code is gone", rule: "release.expired", hook: on(partnerapi.Release, func(e *exchange) {
			if isExpired(e) {
				e.status = http.StatusGone
			}
		})},
		{name: "an expired hold's seats are given back twice", rule: "release.expired.vacancies", hook: on(partnerapi.Release, func(e *exchange) {
			if request, ok := e.heldBy(e.id); ok && isExpired(e) {
				e.move(request, 1)
			}
		})},
	}
}

func brokenCancels() []brokenPartner {
	cancelled := func(again bool, change func(*exchange, partnerapi.ReserveRequest)) hook {
		return on(partnerapi.Cancel, func(e *exchange) {
			if request, ok := e.heldBy(e.codeOf(e.id)); ok && e.hasEnded(e.id) == again {
				change(e, request)
			}
		})
	}
	unknown := func(change func(*exchange)) hook {
		return on(partnerapi.Cancel, func(e *exchange) {
			if e.codeOf(e.id) == "" {
				change(e)
			}
		})
	}
	return []brokenPartner{
		{name: "cancel fails", rule: "cancel.status", hook: cancelled(false, func(e *exchange, _ partnerapi.ReserveRequest) { e.reply(http.StatusInternalServerError, nil) })},
		{name: "cancel is answered with nothing", rule: "cancel.json", hook: cancelled(false, func(e *exchange, _ partnerapi.ReserveRequest) { e.answer = nil })},
		{name: "cancel does not say success", rule: "cancel.success", hook: cancelled(false, func(e *exchange, _ partnerapi.ReserveRequest) { e.edit(without("success")) })},
		{name: "cancel keeps the seats", rule: "cancel.vacancies", hook: cancelled(false, func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, -1) })},
		{name: "cancel keeps the seats of the last option", rule: "cancel.vacancies", hook: cancelled(false, func(e *exchange, r partnerapi.ReserveRequest) {
			if r.OptionID == lastOption {
				e.move(r, -1)
			}
		})},
		{name: "a second cancellation is answered with nothing", rule: "cancel.repeat.status", hook: cancelled(true, func(e *exchange, _ partnerapi.ReserveRequest) { e.answer = nil })},
		{name: "a second cancellation gives the seats back again", rule: "cancel.repeat.vacancies", hook: cancelled(true, func(e *exchange, r partnerapi.ReserveRequest) { e.move(r, 1) })},
		{name: "a second cancellation is a conflict", rule: "cancel.repeat.status", hook: cancelled(true, func(e *exchange, _ partnerapi.ReserveRequest) { e.status = http.StatusConflict })},
		{name: "an unknown booking is not found", rule: "cancel.unknown", hook: unknown(func(e *exchange) { e.status = http.StatusNotFound })},
		{name: "an unknown booking is no success", rule: "cancel.unknown.success", hook: unknown(func(e *exchange) { e.edit(set("success", false)) })},
		{name: "a reason is demanded", rule: "cancel.without-body", hook: hook{before: func(e *exchange) {
			if e.endpoint == partnerapi.Cancel && len(e.body) == 0 {
				e.reply(http.StatusBadRequest, nil)
			}
		}}},
	}
}

// brokenKeys are partners that let somebody without the key through, on one
// endpoint each.
func brokenKeys() []brokenPartner {
	good := "Bearer " + key
	isProbe := func(e *exchange) bool { return e.request.URL.Query().Has("limit") }
	open := func(wanted func(*exchange) bool, missing bool) hook {
		return hook{before: func(e *exchange) {
			if presented := e.request.Header.Get("Authorization"); wanted(e) && presented != good && (!missing || presented == "") {
				e.request.Header.Set("Authorization", good)
			}
		}}
	}
	at := func(endpoint partnerapi.Endpoint) func(*exchange) bool {
		return func(e *exchange) bool { return e.endpoint == endpoint && !isProbe(e) }
	}
	// lateCheck does the work first, and looks at the key afterwards.
	lateCheck := func(endpoint partnerapi.Endpoint) hook {
		var refuse bool
		return hook{
			before: func(e *exchange) {
				e.mu.Lock()
				defer e.mu.Unlock()
				refuse = e.endpoint == endpoint && e.request.Header.Get("Authorization") != good
				if refuse {
					e.request.Header.Set("Authorization", good)
				}
			},
			after: func(e *exchange) {
				e.mu.Lock()
				defer e.mu.Unlock()
				if refuse {
					e.reply(http.StatusUnauthorized, nil)
				}
			},
		}
	}
	var partners []brokenPartner
	for _, endpoint := range partnerapi.Endpoints() {
		partners = append(partners,
			brokenPartner{name: "any key is good", rule: string(endpoint) + ".auth.wrong-key", hook: open(at(endpoint), false)},
			brokenPartner{name: "no key is needed", rule: string(endpoint) + ".auth.missing-key", hook: open(at(endpoint), true)},
		)
	}
	for _, endpoint := range []partnerapi.Endpoint{partnerapi.Reserve, partnerapi.Confirm, partnerapi.Release, partnerapi.Cancel} {
		partners = append(partners, brokenPartner{name: "the key is checked after the work", rule: string(endpoint) + ".auth.no-effect", hook: lateCheck(endpoint)})
	}
	return append(partners,
		brokenPartner{name: "any key is good", rule: "products.probe.auth.wrong-key", hook: open(isProbe, false)},
		brokenPartner{name: "no key is needed", rule: "products.probe.auth.missing-key", hook: open(isProbe, true)},
		brokenPartner{name: "the registered key is refused", rule: "products.auth.accepted", hook: hook{before: func(e *exchange) { e.reply(http.StatusUnauthorized, nil) }}},
	)
}

// brokenLimits are partners that answer a little after the limit, which is
// scaled down to keep the test short.
func brokenLimits() []brokenPartner {
	const scale = 0.04
	scaled := []string{"--limit-scale", fmt.Sprint(scale)}
	slow := func(limit time.Duration, wanted func(*exchange) bool) hook {
		return hook{after: func(e *exchange) {
			if wanted(e) {
				select {
				case <-time.After(time.Duration(scale * 1.08 * float64(limit))):
				case <-e.request.Context().Done():
				}
			}
		}}
	}
	var partners []brokenPartner
	for _, endpoint := range partnerapi.Endpoints() {
		partners = append(partners, brokenPartner{
			name: "answers come late", rule: string(endpoint) + ".limit", args: scaled,
			hook: slow(endpoint.Timeout(partnerapi.Healthy), func(e *exchange) bool {
				return e.endpoint == endpoint && !e.request.URL.Query().Has("limit")
			}),
		})
	}
	return append(partners, brokenPartner{
		name: "probes are answered late", rule: "products.probe.limit", args: scaled,
		hook: slow(partnerapi.ProbeTimeout, func(e *exchange) bool { return e.request.URL.Query().Has("limit") }),
	})
}
