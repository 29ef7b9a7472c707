package console

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// gridDays is the number of days in the grid.
	gridDays = 14
	// maxProducts is the maximum number of products in the selection.
	maxProducts = 500
)

// slotsPanel is the slots of an option: days across, starts down.
type slotsPanel struct {
	Products, Options []choice
	Unlisted          int // products beyond maxProducts
	From              string
	Earlier, Later    string
	Today             string
	Zone              string
	Days              []dayView
	Rows              []rowView
	Slot              *slotView
	Problem           string
	Others            []choice // the rest of the selection
}

type dayView struct {
	Date  time.Time
	Today bool
}

type rowView struct {
	Time  string
	Cells [][]cellView // by day
}

type cellView struct {
	ID    string
	Href  string
	Class string
	Seats string // 9/12; empty if there is no limit
	Word  string
	Name  string // the complete description
	Open  bool
}

type slotView struct {
	client.SlotState
	Class    string
	Word     string
	Close    string // links to the page without it
	Actions  []call
	Numbers  []call
	Holds    []holdView
	Bookings []bookingView
	More     more
}

func (b *builder) slots() slotsPanel {
	panel := slotsPanel{Others: b.choice.hiddenFields("product", "option", "from", "slot")}
	product, option := b.option()
	panel.choose(b.box.Platform().Catalog(), product, option)
	now := b.inside.Now.In(product.Location)
	panel.Zone = product.TimeZone
	first := now
	if b.choice.from != "" {
		first, _ = time.Parse(partnerapi.DateLayout, b.choice.from) // choiceOf has validated it
	}
	slots, err := b.box.Platform().Calendar(product.ID, option.ID, first, gridDays)
	if err != nil {
		panel.Problem = err.Error()
		return panel
	}
	panel.From = first.Format(partnerapi.DateLayout)
	panel.Earlier, panel.Later = b.choice.withFrom(first.AddDate(0, 0, -gridDays)).href(), b.choice.withFrom(first.AddDate(0, 0, gridDays)).href()
	today := b.choice.withFrom(now)
	today.from = ""
	panel.Today = today.href()
	for day := range gridDays {
		date := first.AddDate(0, 0, day)
		panel.Days = append(panel.Days, dayView{Date: date, Today: sameDay(date, now)})
	}
	b.fill(&panel, slots)
	panel.Slot = b.slot(product, option)
	return panel
}

func (b *builder) option() (*catalog.IndexedProduct, *catalog.IndexedOption) {
	sold := b.box.Platform().Catalog()
	product, ok := sold.Product(b.choice.product)
	if !ok {
		product = sold.Products[0]
	}
	option, ok := product.Option(b.choice.option)
	if !ok {
		option, _ = product.Option(product.Options[0].ID)
	}
	return product, option
}

func (p *slotsPanel) choose(sold *catalog.Index, product *catalog.IndexedProduct, option *catalog.IndexedOption) {
	listed := sold.Products[:min(len(sold.Products), maxProducts)]
	p.Unlisted = len(sold.Products) - len(listed)
	if !slices.Contains(listed, product) {
		listed = append(slices.Clone(listed), product)
	}
	for _, one := range listed {
		p.Products = append(p.Products, choice{Value: one.ID, Label: one.InternalName, Chosen: one == product})
	}
	for _, one := range product.Options {
		p.Options = append(p.Options, choice{Value: one.ID, Label: one.InternalName, Chosen: one.ID == option.ID})
	}
}

func sameDay(a, b time.Time) bool {
	return a.Format(partnerapi.DateLayout) == b.Format(partnerapi.DateLayout)
}

func (b *builder) fill(panel *slotsPanel, slots []client.SlotState) {
	rows := map[string]*rowView{}
	for _, s := range slots {
		start := s.Start.Format("15:04")
		if rows[start] == nil {
			rows[start] = &rowView{Time: start, Cells: make([][]cellView, gridDays)}
		}
		day := slices.IndexFunc(panel.Days, func(d dayView) bool { return sameDay(d.Date, s.Start) })
		if day >= 0 {
			rows[start].Cells[day] = append(rows[start].Cells[day], b.cell(s))
		}
	}
	for _, row := range rows {
		panel.Rows = append(panel.Rows, *row)
	}
	slices.SortFunc(panel.Rows, func(a, b rowView) int { return strings.Compare(a.Time, b.Time) })
}

func (b *builder) cell(s client.SlotState) cellView {
	cell := cellView{
		ID: s.AvailabilityID, Class: classOfSlot(s.Status), Word: wordOfSlot[s.Status],
		Open: s.AvailabilityID == b.choice.slot,
		Href: b.choice.withSlot(s.AvailabilityID).href(),
	}
	cell.Name = fmt.Sprintf("%s, %s: %s", cell.Word, s.Start.Format("Mon 2 Jan 15:04"), s.Status)
	if s.Counted {
		cell.Seats = fmt.Sprintf("%d/%d", s.Vacancies, s.Capacity)
		cell.Name = cell.Seats + " " + cell.Name // the accessible name must begin with the visible text
		cell.Name += fmt.Sprintf(", %d of %d seats left", s.Vacancies, s.Capacity)
	}
	if s.Held > 0 {
		cell.Name += fmt.Sprintf(", %d held", s.Held)
	}
	if s.Confirmed > 0 {
		cell.Name += fmt.Sprintf(", %d booked", s.Confirmed)
	}
	return cell
}

func classOfSlot(s partnerapi.SlotStatus) string {
	return strings.ReplaceAll(strings.ToLower(string(s)), "_", "-")
}

// wordOfSlot is a short word that fits into a cell of the grid.
var wordOfSlot = map[partnerapi.SlotStatus]string{
	partnerapi.StatusAvailable: "open", partnerapi.StatusLimited: "few", partnerapi.StatusSoldOut: "sold out",
	partnerapi.StatusClosed: "closed", partnerapi.StatusFreesale: "no limit",
}

// slot returns the selected slot, or nil if none is selected or it does not exist.
func (b *builder) slot(product *catalog.IndexedProduct, option *catalog.IndexedOption) *slotView {
	state, err := b.box.Platform().Slot(product.ID, option.ID, b.choice.slot)
	if err != nil {
		return nil
	}
	view := &slotView{
		SlotState: state, Class: classOfSlot(state.Status), Word: wordOfSlot[state.Status],
		Close: b.choice.withSlot("").href(),
	}
	view.Actions = []call{
		b.slotCall(state, "sell-out", "Sell out", state.Status == partnerapi.StatusSoldOut, field{Kind: textField, Name: "status", Value: string(partnerapi.StatusSoldOut)}),
		b.slotCall(state, "close", "Close", state.Status == partnerapi.StatusClosed, field{Kind: textField, Name: "status", Value: string(partnerapi.StatusClosed)}),
		b.slotCall(state, "open", "Open", state.Status.IsBookable(), reopenFields(state, option)...),
	}
	view.Numbers = []call{
		b.slotCall(state, "vacancies", "Set", false, field{Kind: numberField, Name: "vacancies", Label: "Seats left", Value: strconv.Itoa(state.Vacancies)}),
		b.slotCall(state, "capacity", "Set", false, field{Kind: numberField, Name: "capacity", Label: "Capacity", Value: strconv.Itoa(state.Capacity)}),
	}
	holds := newestMatching(b.inside.Holds, len(b.inside.Holds), func(h client.Hold) bool {
		return h.State == client.Held && sameSlot(state, h.ProductID, h.OptionID, h.AvailabilityID)
	})
	bookings := newestMatching(b.inside.Bookings, len(b.inside.Bookings), func(k client.Booking) bool {
		return k.State == client.Booked && sameSlot(state, k.ProductID, k.OptionID, k.AvailabilityID)
	})
	most := b.choice.limit("sold", fewListed, maxListed)
	view.Holds, view.Bookings = b.holdViews(holds[:min(len(holds), most)]), b.bookingViews(bookings[:min(len(bookings), most)])
	view.More = b.choice.more("sold", len(view.Holds)+len(view.Bookings), len(holds)+len(bookings))
	return view
}

func (b *builder) slotCall(s client.SlotState, id, label string, off bool, change ...field) call {
	return b.call(call{
		ID: "slot-" + id, Label: label, Of: "the slot of " + s.Start.Format("Mon 2 Jan 15:04"), Method: http.MethodPatch, Path: "/slots", Off: off,
		Fields: append([]field{
			{Kind: textField, Name: "productId", Value: s.ProductID},
			{Kind: textField, Name: "optionId", Value: s.OptionID},
			{Kind: textField, Name: "availabilityId", Value: s.AvailabilityID},
		}, change...),
	})
}

func sameSlot(s client.SlotState, product, option, id string) bool {
	return s.ProductID == product && s.OptionID == option && s.AvailabilityID == id
}

// reopenFields returns the fields that put a slot on sale again, as its catalog defines, with the seats
// that are neither held nor booked.
func reopenFields(s client.SlotState, option *catalog.IndexedOption) []field {
	status := func(status partnerapi.SlotStatus) field {
		return field{Kind: textField, Name: "status", Value: string(status)}
	}
	switch {
	case option.Schedule.Freesale:
		return []field{status(partnerapi.StatusFreesale)}
	case !option.HasCount():
		return []field{status(partnerapi.StatusAvailable)}
	}
	var fields []field
	left := s.Vacancies
	if left == 0 {
		left = s.Capacity - s.Held - s.Confirmed
		fields = []field{{Kind: numberField, Name: "vacancies", Value: strconv.Itoa(left)}}
	}
	if left > 0 && left <= option.LimitedAt {
		return append(fields, status(partnerapi.StatusLimited))
	}
	return append(fields, status(partnerapi.StatusAvailable))
}
