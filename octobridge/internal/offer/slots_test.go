package offer_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/octobridge/internal/offer"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// nine is when the slots are translated, in summer: 10:00 in Lisbon.
var nine = time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)

func TestSlots_AreShownInTheContractsWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*octo.Availability)
		want   func(*partnerapi.Slot)
		left   string // why it is left out; "": it is not
	}{
		{"an ordinary one", func(*octo.Availability) {}, func(*partnerapi.Slot) {}, ""},
		{"sold out", func(a *octo.Availability) { a.Available, a.Status = false, "SOLD_OUT" }, func(s *partnerapi.Slot) { s.Status = partnerapi.StatusSoldOut }, ""},
		{"not available, whatever the status", func(a *octo.Availability) { a.Available = false }, func(s *partnerapi.Slot) { s.Status = partnerapi.StatusSoldOut }, ""},
		{"past its cut-off", func(a *octo.Availability) { a.UTCCutoffAt = "2026-07-01T09:00:00Z" }, func(s *partnerapi.Slot) { s.Status = partnerapi.StatusClosed }, ""},
		{"without an offset", func(a *octo.Availability) {
			a.LocalDateTimeStart, a.LocalDateTimeEnd = "2026-07-02T10:00:00", "2026-07-02T12:30"
		}, func(*partnerapi.Slot) {}, ""},
		{"at another offset", func(a *octo.Availability) { a.LocalDateTimeStart = "2026-07-02T09:00:00Z" }, func(*partnerapi.Slot) {}, ""},
		{"open for a day", func(a *octo.Availability) {
			a.AllDay, a.OpeningHours = true, []octo.Hours{{From: "09:00", To: "12:00"}, {From: "13:30", To: "18:00"}}
		}, func(s *partnerapi.Slot) {
			s.LocalDateTimeStart, s.LocalDateTimeEnd = "2026-07-02T09:00:00+01:00", "2026-07-02T18:00:00+01:00"
		}, ""},
		{"open until after midnight", func(a *octo.Availability) {
			a.AllDay, a.OpeningHours = true, []octo.Hours{{From: "20:00", To: "02:00"}}
		},
			func(s *partnerapi.Slot) {
				s.LocalDateTimeStart, s.LocalDateTimeEnd = "2026-07-02T20:00:00+01:00", "2026-07-03T02:00:00+01:00"
			}, ""},
		{"open until midnight", func(a *octo.Availability) {
			a.AllDay, a.OpeningHours = true, []octo.Hours{{From: "20:00", To: "24:00"}}
		},
			func(s *partnerapi.Slot) {
				s.LocalDateTimeStart, s.LocalDateTimeEnd = "2026-07-02T20:00:00+01:00", "2026-07-03T00:00:00+01:00"
			}, ""},
		{"with prices of its own, of units that are sold", func(a *octo.Availability) {
			adult, family := price("1900"), price("5000")
			adult.UnitID, family.UnitID = "adult", "family"
			a.UnitPricing = []octo.Price{family, adult}
		}, func(s *partnerapi.Slot) {
			s.UnitPricing = []partnerapi.UnitPricing{{UnitID: "unit-adult", UnitType: partnerapi.Adult, Original: 1900, Currency: "EUR", CurrencyPrecision: new(2)}}
		}, ""},
		{"with a price that is no number of cents", func(a *octo.Availability) {
			adult := price("19.5")
			adult.UnitID = "adult"
			a.UnitPricing = []octo.Price{adult}
		}, nil, `slot 1, "s-1": the amount 19.5 is not an integer in the currency's smallest unit`},
		{"without a start", func(a *octo.Availability) { a.LocalDateTimeStart = "soon" }, nil, `slot 1, "s-1": localDateTimeStart: "soon" is not a date-time`},
		{"with strange hours", func(a *octo.Availability) { a.AllDay, a.OpeningHours = true, []octo.Hours{{From: "noon", To: "18:00"}} }, nil,
			`openingHours: "noon" is not a time of day`},
		{"in the year 1970", func(a *octo.Availability) { a.LocalDateTimeStart = "1970-01-01T00:00:00Z" }, nil, "localDateTimeStart: expected a year from 2000 to 2200"},
		{"with a status of its own", func(a *octo.Availability) { a.Status = "PLENTY" }, nil, `status: expected one of AVAILABLE, FREESALE, LIMITED, SOLD_OUT or CLOSED, received "PLENTY"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			option, _ := translate(t, product("ADULT", "FAMILY"), offer.Units{}).Option("walk", "group")
			from := octo.Availability{
				ID: "s-1", LocalDateTimeStart: "2026-07-02T10:00:00+01:00", LocalDateTimeEnd: "2026-07-02T12:30:00+01:00",
				Available: true, Status: "AVAILABLE", Vacancies: new(7), Capacity: new(9), UTCCutoffAt: "2026-07-02T08:00:00Z",
			}
			test.change(&from)
			text, err := json.Marshal(from)
			check(t, err)
			slots, left := option.Slots([]json.RawMessage{text}, nine)
			if test.left != "" {
				if len(slots) != 0 || len(left) != 1 || !strings.Contains(left[0].Error(), test.left) {
					t.Errorf("want it left out: %s, got %+v, %v", test.left, slots, left)
				}
				return
			}
			want := partnerapi.Slot{
				ID: "s-1", LocalDateTimeStart: "2026-07-02T10:00:00+01:00", LocalDateTimeEnd: "2026-07-02T12:30:00+01:00",
				Status: partnerapi.StatusAvailable, Vacancies: new(7), Capacity: new(9),
			}
			test.want(&want)
			wanted, err := json.Marshal([]partnerapi.Slot{want})
			check(t, err)
			got, err := json.Marshal(slots)
			check(t, err)
			if string(got) != string(wanted) || left != nil {
				t.Errorf("want %s, got %s, %v", wanted, got, left)
			}
		})
	}
}

func TestSlots_AreLeftOutIfTheSchemaRefusesThemWhateverWasSaidOfOthers(t *testing.T) {
	t.Parallel()
	option, _ := translate(t, product("ADULT"), offer.Units{}).Option("walk", "group")
	slot := func(id, start string, vacancies int) json.RawMessage {
		text, err := json.Marshal(map[string]any{"id": id, "localDateTimeStart": start, "localDateTimeEnd": "2026-07-02T12:00:00+01:00", "available": true, "status": "AVAILABLE", "vacancies": vacancies})
		check(t, err)
		return text
	}
	const start = "2026-07-02T10:00:00+01:00"
	lawful := []json.RawMessage{slot("a", start, 3), slot("b", "2026-07-02T11:00:00+01:00", 3), slot("the 3rd, at 10:00", start, 3), slot("ü", start, 3), slot("c", start, 0), slot("d", "2150-07-02T10:00:00+01:00", 3)}
	wrong := []json.RawMessage{slot("", start, 3), slot("a\x00b", start, 3), slot(strings.Repeat("x", 1001), start, 3), slot("e", start, -1), slot("f", start, -1), slot("g", "1999-07-02T10:00:00+01:00", 3), slot("h", "2201-07-02T10:00:00+01:00", 3)}
	for _, order := range [][]json.RawMessage{slices.Concat(lawful, wrong), slices.Concat(wrong, lawful)} {
		shown, left := option.Slots(order, nine)
		if len(shown) != len(lawful) || len(left) != len(wrong) {
			t.Errorf("Expected %d slots shown and %d left out, received %+v and %v", len(lawful), len(wrong), shown, left)
		}
		for _, one := range shown {
			text, err := json.Marshal(one)
			check(t, err)
			if problems := schemas.Validate(schemas.Slot, text); problems != nil {
				t.Errorf("%s: %v", text, problems)
			}
		}
	}
}

// The night on which the clocks go back has the hour from 1:00 twice.
func TestSlots_ADayOfTwentyFiveHoursIsOpenUntilItsEnd(t *testing.T) {
	t.Parallel()
	option, _ := translate(t, product("ADULT"), offer.Units{}).Option("walk", "group")
	slots, left := option.Slots([]json.RawMessage{json.RawMessage(`{"id": "s", "localDateTimeStart": "2026-10-25T00:00:00+01:00", "localDateTimeEnd": "2026-10-26T00:00:00Z",
		"allDay": true, "available": true, "status": "FREESALE", "openingHours": [{"from": "00:00", "to": "18:00"}]}`)}, nine)
	if len(left) > 0 || slots[0].LocalDateTimeStart != "2026-10-25T00:00:00+01:00" || slots[0].LocalDateTimeEnd != "2026-10-25T18:00:00+00:00" {
		t.Errorf("got %+v, %v", slots, left)
	}
}

func TestTickets_AreThePartysAndTheGuests(t *testing.T) {
	t.Parallel()
	ticket := func(forms ...string) *octo.Ticket {
		one := &octo.Ticket{RedemptionMethod: "DIGITAL"}
		for _, form := range forms {
			one.DeliveryOptions = append(one.DeliveryOptions, octo.DeliveryOption{DeliveryFormat: form, DeliveryValue: "value"})
		}
		return one
	}
	got := offer.Tickets(octo.Booking{
		Voucher:   ticket("PDF_URL", "PKPASS_URL"),
		UnitItems: []octo.BookedUnit{{Ticket: ticket("QRCODE", "AZTECCODE")}, {Ticket: ticket("PKPASS_URL")}, {}},
	})
	var forms []string
	for _, one := range got {
		for _, form := range one.DeliveryOptions {
			forms = append(forms, form.DeliveryMethod+" "+form.DeliveryFormat)
		}
	}
	requireEqual(t, "tickets", []string{"VOUCHER PDF_URL", "TICKET QRCODE", "TICKET AZTEC"}, forms)
}
