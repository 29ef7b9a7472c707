package twin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// window is the slots that one call was answered with.
type window struct {
	call        *call
	first, last time.Time // its days, as midnight UTC
	slots       []seenSlot
}

// seenSlot is the readable part of one slot of a window.
type seenSlot struct {
	day                 time.Time // its date in the product's zone, as midnight UTC
	minute              int       // minutes after midnight
	start, end          time.Time
	wallEnd             string // the time of day of its end
	status              string
	vacancies, capacity *int
	prices              json.RawMessage // nil if it has no prices
}

// windowOf reads an availability call. It returns false if the call has no days or no list of
// slots.
func windowOf(c *call, zone *time.Location) (w window, ok bool) {
	w.call = c
	var err error
	if w.first, err = time.Parse(partnerapi.DateLayout, text(field(c.request, "localDateStart"))); err != nil {
		return w, false
	}
	if w.last, err = time.Parse(partnerapi.DateLayout, text(field(c.request, "localDateEnd"))); err != nil || w.last.Before(w.first) {
		return w, false
	}
	list, whole := slotList(c)
	if list == nil {
		return w, false
	}
	for _, raw := range list {
		if s, ok := readSlot(raw, zone); ok && !s.day.Before(w.first) && !s.day.After(w.last) {
			w.slots = append(w.slots, s)
		}
	}
	slices.SortFunc(w.slots, func(a, b seenSlot) int { return a.start.Compare(b.start) })
	if !whole { // the recording has only the beginning, which ends within a day
		if len(w.slots) == 0 {
			return w, false
		}
		cut := w.slots[len(w.slots)-1].day
		w.slots = slices.DeleteFunc(w.slots, func(s seenSlot) bool { return !s.day.Before(cut) })
		w.last = cut.AddDate(0, 0, -1)
	}
	return w, !w.last.Before(w.first)
}

// slotList returns the slots of an answer, even if only its beginning was recorded.
func slotList(c *call) (list []any, whole bool) {
	if c.json && !c.AnswerCut {
		list, _ = c.answer.([]any)
		if object, ok := c.answer.(map[string]any); ok { // not lawful, but partners do it
			for _, inner := range object {
				if inner, ok := inner.([]any); ok {
					list = inner
				}
			}
		}
		return list, true
	}
	decoder := json.NewDecoder(bytes.NewReader(c.Answer))
	decoder.UseNumber()
	if token, err := decoder.Token(); err != nil || token != json.Delim('[') {
		return nil, false
	}
	list = []any{}
	for decoder.More() {
		var one any
		if decoder.Decode(&one) != nil {
			break
		}
		list = append(list, one)
	}
	return list, !c.AnswerCut
}

func readSlot(raw any, zone *time.Location) (s seenSlot, ok bool) {
	if s.start, ok = readTime(text(field(raw, "localDateTimeStart")), zone); !ok {
		return s, false
	}
	if s.end, ok = readTime(text(field(raw, "localDateTimeEnd")), zone); !ok || !s.end.After(s.start) {
		s.end = s.start.Add(time.Hour)
	}
	s.wallEnd = s.end.In(zone).Format("15:04")
	local := s.start.In(zone)
	s.day = time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	s.minute = local.Hour()*60 + local.Minute()
	s.status = text(field(raw, "status"))
	s.vacancies, s.capacity = readSeats(field(raw, "vacancies")), readSeats(field(raw, "capacity"))
	if list, isList := field(raw, "unitPricing").([]any); isList {
		if text, err := json.Marshal(list); err == nil {
			s.prices = text
		}
	}
	return s, true
}

// readTime reads a date-time, even one without the required offset.
func readTime(text string, zone *time.Location) (time.Time, bool) {
	t, err := partnerapi.ParseDateTime(text)
	if err != nil {
		t, err = time.ParseInLocation("2006-01-02T15:04:05", text, zone)
	}
	return t, err == nil
}

func readSeats(value any) *int {
	var digits string
	switch value := value.(type) {
	case json.Number:
		digits = value.String()
	case string:
		digits = value
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || n > 1_000_000 || n != float64(int(n)) {
		return nil
	}
	seats := max(int(n), 0)
	return &seats
}

// assumedSeats is the capacity of slots that do not show their seats.
const assumedSeats = 20

// slots learns the schedules of a product's options.
func (l *learner) slots(p *product) {
	zone := zoneOf(p.raw)
	if location, err := time.LoadLocation(p.sold.TimeZone); err == nil {
		zone = location
	}
	for i := range p.options {
		o := &p.options[i]
		l.learned.options++
		var windows []window
		for _, c := range l.callsTo(partnerapi.Availability, func(c *call) bool {
			return c.hasGoodKey() && c.succeeded2xx() && text(field(c.request, "productId")) == p.asked && text(field(c.request, "optionId")) == o.asked
		}) {
			if w, ok := windowOf(c, zone); ok {
				windows = append(windows, w)
			}
		}
		o.schedule = l.schedule(p, o, i, zone, windows)
		p.sold.Schedules[o.id] = o.schedule
	}
}

// days are the slots of an option by date. The first answer for a date counts, because later
// answers may include bookings made meanwhile. Dates read from the partner itself take precedence.
type days struct {
	first time.Time
	slots [][]seenSlot // by the day from first on
	from  *call        // the call for the first day
	at    time.Time    // time of that call
}

func daysOf(windows []window) (d days, ok bool) {
	slices.SortStableFunc(windows, func(a, b window) int {
		switch {
		case a.call.live != b.call.live && a.call.live:
			return -1
		case a.call.live != b.call.live:
			return 1
		}
		return a.call.Started.Compare(b.call.Started)
	})
	longest := -1
	for i, w := range windows {
		if longest < 0 || w.days() > windows[longest].days() && windows[longest].call.live == w.call.live {
			longest = i
		}
	}
	if longest < 0 {
		return d, false
	}
	d.first, d.from, d.at = windows[longest].first, windows[longest].call, windows[longest].call.Started
	known := map[time.Time][]seenSlot{}
	for _, w := range windows {
		for day := w.first; !day.After(w.last); day = day.AddDate(0, 0, 1) {
			if _, seen := known[day]; !seen {
				known[day] = []seenSlot{}
				for _, s := range w.slots {
					if s.day.Equal(day) {
						known[day] = append(known[day], s)
					}
				}
			}
		}
	}
	const most = 366
	for day := d.first; len(d.slots) < most; day = day.AddDate(0, 0, 1) {
		slots, seen := known[day]
		if !seen {
			break
		}
		d.slots = append(d.slots, slots)
	}
	return d, true
}

func (w window) days() int { return int(w.last.Sub(w.first)/(24*time.Hour)) + 1 }

// schedule learns when an option has slots and how they sell.
func (l *learner) schedule(p *product, o *option, index int, zone *time.Location, windows []window) catalog.Schedule {
	d, ok := daysOf(windows)
	if !ok {
		o.seen = append(o.seen, "Its slots were not seen: the twin has none.")
		l.learned.unseen++
		return catalog.Schedule{Calendar: &catalog.Calendar{From: l.now.UTC().Format(partnerapi.DateLayout), Days: 1, Slots: []catalog.CalendarLine{}}}
	}
	var all []seenSlot
	for _, slots := range d.slots {
		all = append(all, slots...)
	}
	l.learned.slots += len(all)
	o.seen = append(o.seen, fmt.Sprintf("%d slots of %d days from %s on, %s. Seats and states are those of that moment.", len(all), len(d.slots), d.first.Format(partnerapi.DateLayout), source(d.from)),
		"Guess: on other days the slots are the same as on these, by weekday.")
	s := catalog.Schedule{}
	seats := seatsOf(p, o, all, &s)
	limitedAt(o, all, &s, seats)
	kind := p.sold.Options[index].AvailabilityType
	cutOff(o, all, &s, kind, d.at)
	s.Calendar = &catalog.Calendar{From: d.first.Format(partnerapi.DateLayout), Days: len(d.slots), Slots: l.lines(p, o, d, kind, seats)}
	return s
}

// seats determines the seats left of each slot.
type seats struct {
	assumed int  // the capacity if none is shown
	free    bool // slots without vacancies have no limit
}

func seatsOf(p *product, o *option, all []seenSlot, s *catalog.Schedule) seats {
	shown, freesale, largest := 0, 0, 0
	for _, slot := range all {
		if slot.vacancies != nil {
			shown++
			largest = max(largest, *slot.vacancies)
		}
		if slot.capacity != nil {
			largest = max(largest, *slot.capacity)
		}
		if slot.status == string(partnerapi.StatusFreesale) {
			freesale++
		}
	}
	s.Freesale = freesale*2 > len(all)
	is := seats{assumed: largest, free: s.Freesale || p.sold.AllowFreesale}
	if shown == 0 && len(all) > 0 && !is.free {
		s.HideVacancies = true
		is.assumed = assumedSeats
		o.seen = append(o.seen, fmt.Sprintf("Guess: its slots do not show their seats, so each has %d.", assumedSeats))
	}
	return is
}

// seatsLeft returns the seats left of a slot, and its capacity.
func (is seats) seatsLeft(s seenSlot, limitedAt int) (left string, capacity int) {
	capacity = is.assumed
	switch {
	case s.capacity != nil:
		capacity = *s.capacity
	case s.vacancies != nil:
		capacity = max(capacity, *s.vacancies)
	}
	switch {
	case s.status == string(partnerapi.StatusClosed):
		if s.vacancies == nil {
			if s.capacity == nil && is.free {
				capacity = 0
			}
			return catalog.LeftClosed, capacity
		}
		return catalog.LeftClosed + " " + strconv.Itoa(*s.vacancies), max(capacity, *s.vacancies)
	case s.status == string(partnerapi.StatusSoldOut):
		return "0", capacity
	case s.vacancies != nil:
		return strconv.Itoa(*s.vacancies), max(capacity, *s.vacancies)
	case is.free:
		return catalog.LeftFree, 0
	case s.status == string(partnerapi.StatusLimited):
		return strconv.Itoa(min(limitedAt, capacity)), capacity
	default:
		return strconv.Itoa(capacity), capacity
	}
}

// limitedAt learns the number of vacancies at or below which a slot is LIMITED.
func limitedAt(o *option, all []seenSlot, s *catalog.Schedule, is seats) {
	limited, available := -1, -1
	for _, slot := range all {
		if slot.vacancies == nil {
			continue
		}
		switch slot.status {
		case string(partnerapi.StatusLimited):
			limited = max(limited, *slot.vacancies)
		case string(partnerapi.StatusAvailable):
			if available < 0 || *slot.vacancies < available {
				available = *slot.vacancies
			}
		}
	}
	switch {
	case limited >= 0 && available < 0:
		s.LimitedAt = new(max(limited, is.assumed))
	case limited >= 0:
		s.LimitedAt = new(max(min(limited, available-1), 0))
		if limited >= available {
			o.seen = append(o.seen, "Some of its slots are LIMITED with more seats left than others that are AVAILABLE: the twin has one limit for all.")
		}
	case available >= 0 && available <= catalog.DefaultLimitedAt:
		s.LimitedAt = new(max(available-1, 0))
	}
}

// cutOff learns how long before its start a slot's sale ends.
func cutOff(o *option, all []seenSlot, s *catalog.Schedule, kind partnerapi.AvailabilityType, at time.Time) {
	lead := func(slot seenSlot) time.Duration {
		if kind == partnerapi.OpeningHours {
			return slot.end.Sub(at)
		}
		return slot.start.Sub(at)
	}
	var closed time.Duration
	count := 0
	for _, slot := range all {
		is := lead(slot)
		if is <= 0 {
			continue
		}
		if slot.status != string(partnerapi.StatusClosed) {
			const enough = 2 // a single slot may be closed for another reason
			if count >= enough {
				s.CutOff = round(closed, is)
				o.seen = append(o.seen, fmt.Sprintf("Guess: sale ends %s before, as the next %d slots are CLOSED.", s.CutOff, count))
			}
			return
		}
		closed, count = max(closed, is), count+1
	}
}

// round returns the roundest duration from low on that is below high.
func round(low, high time.Duration) time.Duration {
	for _, unit := range []time.Duration{24 * time.Hour, 12 * time.Hour, 6 * time.Hour, time.Hour, 30 * time.Minute, 15 * time.Minute, time.Minute} {
		if up := (low + unit - 1) / unit * unit; up < high {
			return up
		}
	}
	return low
}

// lines lists the slots by their time of day, length and prices.
func (l *learner) lines(p *product, o *option, d days, kind partnerapi.AvailabilityType, is seats) []catalog.CalendarLine {
	type key struct {
		minute        int
		length        string
		lasts         time.Duration
		prices        string
		withoutPrices bool
	}
	limit := catalog.DefaultLimitedAt
	if o.schedule.LimitedAt != nil {
		limit = *o.schedule.LimitedAt
	}
	seen := map[key][]*seenSlot{}
	var keys []key
	twice := 0
	for n, slots := range d.slots {
		taken := map[int]bool{}
		for i := range slots {
			s := &slots[i]
			if taken[s.minute] { // the mock identifies slots by their start
				twice++
				continue
			}
			taken[s.minute] = true
			k := key{minute: s.minute, withoutPrices: s.prices == nil, prices: string(s.prices)}
			if kind == partnerapi.OpeningHours {
				k.length = s.wallEnd
			} else {
				k.lasts = max(s.end.Sub(s.start).Round(time.Minute), time.Minute)
			}
			if seen[k] == nil {
				seen[k] = make([]*seenSlot, len(d.slots))
				keys = append(keys, k)
			}
			seen[k][n] = s
		}
	}
	if twice > 0 {
		l.note("Option %s of product %s: %d slots start at the same time as another; the twin has only one of them.", o.id, p.sold.ID, twice)
	}
	slices.SortStableFunc(keys, func(a, b key) int { return a.minute - b.minute })
	lines := []catalog.CalendarLine{}
	for _, k := range keys {
		line := catalog.CalendarLine{At: fmt.Sprintf("%02d:%02d", k.minute/60, k.minute%60), Lasts: k.lasts, Until: k.length}
		if !k.withoutPrices {
			line.Prices = l.prices(k.prices)
		}
		days := seen[k]
		on := weekdaysOf(d.first, days)
		if len(on) < 7 {
			for _, day := range on {
				line.Weekdays = append(line.Weekdays, day.String())
			}
		}
		line.Capacity = usualCapacity(days, is, limit)
		for n, slot := range days {
			switch day := d.first.AddDate(0, 0, n).Weekday(); {
			case !slices.Contains(on, day):
			case slot == nil:
				line.Left = append(line.Left, catalog.LeftNone)
			default:
				left, capacity := is.seatsLeft(*slot, limit)
				switch {
				case left == catalog.LeftFree || capacity == line.Capacity:
				case left == catalog.LeftClosed:
					left += fmt.Sprintf(" %d/%d", capacity, capacity)
				default:
					left += "/" + strconv.Itoa(capacity)
				}
				line.Left = append(line.Left, catalog.Left(left))
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// prices returns a slot's own prices, or nil if the mock cannot represent them.
func (l *learner) prices(shown string) *[]partnerapi.UnitPricing {
	value, _ := decode([]byte(shown))
	text, err := json.Marshal(l.secrets.cleanJSON(value))
	prices := []partnerapi.UnitPricing{}
	if err != nil || json.Unmarshal(text, &prices) != nil {
		return nil
	}
	return &prices
}

// weekdaysOf returns the weekdays that have slots.
func weekdaysOf(first time.Time, days []*seenSlot) (on []time.Weekday) {
	for offset := range 7 {
		day := time.Weekday((1 + offset) % 7) // Monday first
		for n, slot := range days {
			if slot != nil && first.AddDate(0, 0, n).Weekday() == day {
				on = append(on, day)
				break
			}
		}
	}
	return on
}

// usualCapacity returns the capacity that most slots have.
func usualCapacity(days []*seenSlot, is seats, limit int) int {
	var all []int
	for _, slot := range days {
		if slot != nil {
			if left, capacity := is.seatsLeft(*slot, limit); left != catalog.LeftFree {
				all = append(all, capacity)
			}
		}
	}
	usual, _ := majority(all)
	return usual
}
