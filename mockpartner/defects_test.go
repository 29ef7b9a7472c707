package mockpartner_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/schemas/partnerapi"
)

// quick is how the contract's limits are shortened for defects that are late.
const quick = 0.001

func TestEveryVariantChangesWhatACallerSeesAndLosesNoSeat(t *testing.T) {
	t.Parallel()
	plain := start(t).tour()
	for _, variant := range defects.Variants.All() {
		t.Run(variant.Name, func(t *testing.T) {
			t.Parallel()
			if variant.Clause == "" || variant.Looks == "" {
				t.Errorf("want its clause and what it looks like, got %+v", variant)
			}
			if variant.AboutWebhooks() {
				return // no caller sees it
			}
			if sold := variant.Scenario().Catalog; sold != nil {
				if mock := start(t, func(o *mockpartner.Options) { o.Variants = []string{variant.Name} }); mock.ids() == start(t).ids() {
					t.Error("want another catalog")
				}
				return
			}
			c := changes(t, plain, func(o *mockpartner.Options) { o.Variants = []string{variant.Name} })
			c.requireBalanced()
		})
	}
}

// ids are those of the products that the mock sells.
func (c caller) ids() string {
	var ids []string
	for _, product := range c.mock.Default().Platform().Catalog().Products {
		ids = append(ids, product.ID)
	}
	return strings.Join(ids, " ")
}

// changes fails the test if a tour of the mock shows what a plain one shows, or where a
// fault of it does not fire. Faults that change when and how an answer comes, and
// not what it says, need not show.
func changes(t *testing.T, plain []string, change func(*mockpartner.Options)) caller {
	t.Helper()
	c := start(t, change, func(o *mockpartner.Options) { o.LimitScale = quick })
	seen, timing := c.tour(), false
	for _, f := range c.mock.Default().Faults().Faults() {
		timing = timing || f.Delay != nil || f.Latency != nil || f.Send != nil || f.SlowClose != nil
		if f.Fired == 0 {
			t.Errorf("want every fault of it to fire on a tour, got none of %s", f.Name)
		}
	}
	if !timing && slices.Equal(seen, plain) {
		t.Error("want another answer than before somewhere, got the same ones")
	}
	return c
}

// guide makes the calls of a tour and notes the answers.
type guide struct {
	caller
	product, option string
	from            string // the day of the first slot that is booked
	seen            []string
}

// tour makes every call of the contract in every state that there is for it, on
// the catalog's last option, where all defects show, and returns the answers.
func (c caller) tour() []string {
	c.t.Helper()
	products := c.mock.Default().Platform().Catalog().Products
	last := products[len(products)-1]
	g := &guide{caller: c, product: last.ID, option: last.Options[len(last.Options)-1].ID}
	g.catalogs()
	g.bookings()
	g.tomorrow(products[0])
	return g.seen
}

// tomorrow holds and releases a seat of a slot that begins soon.
func (g *guide) tomorrow(of *catalog.IndexedProduct) {
	g.product, g.option = of.ID, of.Options[0].ID
	var slots []partnerapi.Slot
	_ = json.Unmarshal([]byte(g.ask("POST", "/availability", g.window("2026-07-02", "2026-07-03"))), &slots)
	for _, slot := range slots {
		if slot.Status.IsBookable() {
			g.letGo(g.hold(slot.ID, "", 1, 0), "")
			return
		}
	}
}

// firstDay and lastDay bound a tour: the 60 days that a marketplace looks ahead.
const firstDay, lastDay = "2026-07-02", "2026-08-30"

// ask makes a call with the key, notes its answer and returns it.
func (g *guide) ask(method, path, body string) string { return g.askWith(g.key, method, path, body) }

func (g *guide) askWith(key, method, path, body string) string {
	g.t.Helper()
	status, kind, text := g.callBare(key, method, path, body)
	g.seen = append(g.seen, fmt.Sprintf("%s %s: %d %s %s", method, path, status, kind, text))
	return text
}

// strangers makes a call without a key, and with a wrong one.
func (g *guide) strangers(method, path, body string) {
	g.askWith("", method, path, body)
	g.askWith("Bearer wrong", method, path, body)
}

func (g *guide) catalogs() {
	for _, path := range []string{"/products", "/products", "/products?limit=1", "/products?updated_since=2020-01-01T00:00:00Z"} {
		g.ask("GET", path, "")
		g.strangers("GET", path, "")
	}
	g.ask("GET", "/products?limit=few", "")
	g.askWith(strings.Replace(g.key, "Bearer", "BEARER", 1), "GET", "/products", "")
}

func (g *guide) window(from, to string) string {
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"localDateStart":%q,"localDateEnd":%q,"units":[{"id":"unit-adult","quantity":1}]}`, g.product, g.option, from, to)
}

func (g *guide) slots() { g.ask("POST", "/availability", g.window(g.from, lastDay)) }

func (g *guide) reserveBody(slot, more string, adults, children int) string {
	var units []string
	if adults > 0 {
		units = append(units, fmt.Sprintf(`{"id":"unit-adult","quantity":%d}`, adults))
	}
	if children > 0 {
		units = append(units, fmt.Sprintf(`{"id":"unit-child","quantity":%d}`, children))
	}
	return fmt.Sprintf(`{"productId":%q,"optionId":%q,"availabilityId":%q,"units":[%s]%s}`, g.product, g.option, slot, strings.Join(units, ","), more)
}

// hold reserves and returns the code, or "never".
func (g *guide) hold(slot, more string, adults, children int) string {
	var hold partnerapi.ReserveAnswer
	_ = json.Unmarshal([]byte(g.ask("POST", "/bookings/reserve", g.reserveBody(slot, more, adults, children))), &hold)
	g.slots()
	return cmp.Or(hold.ReservationConfirmationCode, "never")
}

// book confirms and returns the booking's id, or "never".
func (g *guide) book(code string) string {
	var booking partnerapi.ConfirmAnswer
	_ = json.Unmarshal([]byte(g.ask("POST", "/bookings/confirm", confirmBody(code))), &booking)
	g.slots()
	return cmp.Or(booking.ExternalBookingID, "never")
}

func (g *guide) letGo(code, body string) {
	g.ask("DELETE", partnerapi.ReleasePath(code), body)
	g.slots()
}

func (g *guide) undo(id, body string) {
	g.ask("POST", partnerapi.CancelPath(id), body)
	g.slots()
}

func (g *guide) bookings() {
	g.t.Helper()
	for day := range 7 { // one of them has no slots, perhaps
		date := fmt.Sprintf("2026-07-%02d", day+2)
		g.ask("POST", "/availability", g.window(date, date))
	}
	g.ask("POST", "/availability", g.window("2026-12-24", "2026-12-24"))
	g.ask("POST", "/availability", g.window(firstDay, lastDay))
	g.strangers("POST", "/availability", g.window(firstDay, firstDay))
	open, tight := g.stage()
	const ana = `,"contact":{"fullName":"Ana Sousa"}`

	g.hold(open, ana, 9, 0)
	g.letGo(g.hold(open, ana, 0, 1), "")
	g.letGo(g.hold(open, "", 1, 0), `{}`)
	g.strangers("POST", "/bookings/reserve", g.reserveBody(open, ana, 1, 0))

	code := g.hold(open, ana, 2, 1)
	g.strangers("DELETE", partnerapi.ReleasePath(code), "")
	g.slots()
	g.letGo(code, "")
	g.letGo(code, "")
	g.book(code)

	code = g.hold(open, ana, 1, 0)
	g.strangers("POST", "/bookings/confirm", confirmBody(code))
	g.slots()
	id := g.book(code)
	g.book(code)
	g.letGo(code, "")
	g.strangers("POST", partnerapi.CancelPath(id), "")
	g.slots()
	g.undo(id, "")
	g.undo(id, `{"reason":"rain"}`)
	g.book(code)
	g.letGo(code, "")
	g.undo(g.book(g.hold(open, ana, 1, 0)), "")

	code = g.hold(open, ana, 1, 0)
	g.clock.Advance(25 * time.Minute)
	g.slots()
	g.book(code)
	g.letGo(code, "")

	g.book("never")
	g.letGo("never", "")
	g.undo("never", "")
	g.sendUnusual(open)
	g.nonsense(open)
	g.letGo(g.hold(tight, ana, 1, 0), "")
	for _, guest := range []string{"Sold Out", "Reserve Fails", "Expires Soon", "Stays Paid", "Confirms Late"} { // the test partner's
		g.book(g.hold(open, `,"contact":{"fullName":"`+guest+`"}`, 1, 0))
	}
}

// sendUnusual sends what is lawful, and seldom thought of.
func (g *guide) sendUnusual(slot string) {
	const unnamed, zoe = `,"notInTheContract":1`, `,"contact":{"fullName":"Zoë 🎟"}`
	body := func(fields, more string) string { return strings.TrimSuffix(fields, "}") + more + "}" }
	g.ask("POST", "/availability", body(g.window(firstDay, firstDay), unnamed))
	g.letGo(g.hold(slot, unnamed, 1, 0), `{"notInTheContract":1}`)
	for _, more := range []string{unnamed, zoe} {
		var booking partnerapi.ConfirmAnswer
		code := g.hold(slot, zoe, 1, 0)
		_ = json.Unmarshal([]byte(g.ask("POST", "/bookings/confirm", body(confirmBody(code), more))), &booking)
		g.undo(cmp.Or(booking.ExternalBookingID, "never"), `{"notInTheContract":1}`)
		g.letGo(code, "")
	}
}

// nonsense sends what no marketplace sends.
func (g *guide) nonsense(slot string) {
	for _, path := range []string{"/availability", "/bookings/reserve", "/bookings/confirm", partnerapi.CancelPath("never")} {
		g.ask("POST", path, `{}`)
		g.ask("POST", path, `[1]`)
	}
	g.ask("DELETE", partnerapi.ReleasePath("never"), `[1]`)
	g.ask("POST", "/bookings/reserve", g.reserveBody(slot, "", 0, 0))
	g.ask("POST", "/bookings/reserve", strings.Replace(g.reserveBody(slot, "", 1, 0), "unit-adult", "unit-nobody-knows", 1))
	g.slots()
}

// stage arranges four of the option's last slots: one with seats, one with a
// single seat, one that is sold out and one that is closed, which are both tried.
func (g *guide) stage() (open, tight string) {
	g.t.Helper()
	business := g.mock.Default().Platform()
	window, err := business.Availability(partnerapi.AvailabilityRequest{
		ProductID: g.product, OptionID: g.option, LocalDateStart: firstDay, LocalDateEnd: lastDay,
		Units: []partnerapi.UnitQuantity{{ID: partnerapi.AdultUnitID, Quantity: 1}},
	})
	check(g.t, err)
	last := window.Slots[len(window.Slots)-4:]
	g.from = last[0].LocalDateTimeStart[:len(firstDay)]
	for i, change := range []client.SlotChange{
		{Capacity: new(5), Vacancies: new(5)}, {Capacity: new(1), Vacancies: new(1)},
		{Status: new(partnerapi.StatusSoldOut)}, {Status: new(partnerapi.StatusClosed)},
	} {
		check(g.t, business.SetSlot(g.product, g.option, last[i].ID, change))
	}
	g.hold(last[2].ID, "", 1, 0)
	g.hold(last[3].ID, "", 1, 0)
	return last[0].ID, last[1].ID
}

// callBare makes a call and returns what came, whatever it is.
func (c caller) callBare(key, method, path, body string) (status int, kind, text string) {
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err.Error()
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Authorization", key)
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return 0, "", "no answer"
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return response.StatusCode, "", "half an answer"
	}
	return response.StatusCode, response.Header.Get("Content-Type"), string(read)
}
