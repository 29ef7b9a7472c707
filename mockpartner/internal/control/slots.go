package control

import (
	"errors"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/schemas/partnerapi"
)

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

type slotRequest struct {
	ProductID      string `json:"productId"`
	OptionID       string `json:"optionId"`
	AvailabilityID string `json:"availabilityId"`
	client.SlotChange
}

func changeSlot(w http.ResponseWriter, r *http.Request) {
	var request slotRequest
	if !read(w, r, &request) {
		return
	}
	if request.SlotChange == (client.SlotChange{}) {
		reply.Message(w, http.StatusBadRequest, `want what to change: {"status": "SOLD_OUT"}, {"vacancies": 3} or {"capacity": 12}`)
		return
	}
	if refused(w, platform.CheckChange(request.SlotChange)) {
		return
	}
	p := sandboxOf(r).Platform()
	if err := p.SetSlot(request.ProductID, request.OptionID, request.AvailabilityID, request.SlotChange); err != nil {
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

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	if refusal := (*platform.Refusal)(nil); errors.As(err, &refusal) && refusal.Kind == platform.UnknownID {
		status = http.StatusNotFound
	}
	reply.Message(w, status, "%v", err)
}

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
