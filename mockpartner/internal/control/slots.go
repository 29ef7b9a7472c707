package control

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/schemas/partnerapi"
)

// defaultDays is how many days of slots are listed unless asked otherwise.
const defaultDays = 14

func listSlots(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	days := query.number("days", defaultDays)
	from := query.date("from")
	if query.refused(w, "product", "option", "from", "days") {
		return
	}
	p := sandboxOf(r).Platform()
	product, option := firstOption(p, query.values.Get("product"), query.values.Get("option"))
	slots, err := p.Calendar(product, option, from, int(days))
	if err != nil {
		refuse(w, err)
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"slots": slots})
}

// firstOption puts the catalog's first product, and a product's first option, in
// the place of one that is not named.
func firstOption(p *platform.Platform, product, option string) (string, string) {
	sold := p.Catalog()
	if product == "" {
		product = sold.Products[0].ID
	}
	if found, ok := sold.Product(product); ok && option == "" {
		option = found.Options[0].ID
	}
	return product, option
}

// slotRequest changes a slot; what is left out stays as it is.
type slotRequest struct {
	ProductID      string `json:"productId"`
	OptionID       string `json:"optionId"`
	AvailabilityID string `json:"availabilityId"`
	client.SlotChange
}

// maxSeats bounds the seats of a slot.
const maxSeats = 1_000_000

// wrong says what is wrong with the request, "" for nothing.
func (r slotRequest) wrong() string {
	if r.Status == nil && r.Vacancies == nil && r.Capacity == nil {
		return `want what to change: {"status": "SOLD_OUT"}, {"vacancies": 3} or {"capacity": 12}`
	}
	if r.Status != nil && !slices.Contains(partnerapi.SlotStatuses(), *r.Status) {
		return fmt.Sprintf("status: want one of %v, got %q", partnerapi.SlotStatuses(), *r.Status)
	}
	for name, seats := range map[string]*int{"vacancies": r.Vacancies, "capacity": r.Capacity} {
		if seats != nil && (*seats < 0 || *seats > maxSeats) {
			return fmt.Sprintf("%s: want a number from 0 to %d, got %d", name, maxSeats, *seats)
		}
	}
	return ""
}

func changeSlot(w http.ResponseWriter, r *http.Request) {
	var request slotRequest
	if !read(w, r, &request) {
		return
	}
	if wrong := request.wrong(); wrong != "" {
		reply.Message(w, http.StatusBadRequest, "%s", wrong)
		return
	}
	change := request.SlotChange
	p := sandboxOf(r).Platform()
	if err := p.SetSlot(request.ProductID, request.OptionID, request.AvailabilityID, change); err != nil {
		refuse(w, err)
		return
	}
	slot, err := p.Slot(request.ProductID, request.OptionID, request.AvailabilityID)
	if err != nil {
		refuse(w, err)
		return
	}
	reply.JSON(w, http.StatusOK, slot)
}

// refuse answers a refusal of the platform's.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	if refusal := (*platform.Refusal)(nil); errors.As(err, &refusal) && refusal.Kind == platform.UnknownID {
		status = http.StatusNotFound
	}
	reply.Message(w, status, "%v", err)
}

// date reads a date; absent is zero.
func (q *query) date(name string) time.Time {
	if !q.values.Has(name) {
		return time.Time{}
	}
	date, err := time.Parse(partnerapi.DateLayout, q.values.Get(name))
	if (err != nil || date.Year() < 1970 || date.After(latest)) && q.err == nil {
		q.err = errors.New(name + ": want a date such as 2026-07-01, got " + q.values.Get(name))
	}
	return date
}
