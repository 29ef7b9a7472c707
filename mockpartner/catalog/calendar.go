package catalog

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/schemas/partnerapi"
)

// Calendar lists an option's slots day by day, as observed at a partner. A date outside its days
// has the slots of a date within them, on the same weekday.
type Calendar struct {
	From  string         `yaml:"from" json:"from"` // the first date
	Days  int            `yaml:"days" json:"days"`
	Slots []CalendarLine `yaml:"slots" json:"slots"`
}

// CalendarLine is the slots of one time of day.
type CalendarLine struct {
	At string `yaml:"at" json:"at"`
	// Lasts is the length of a START_TIME option's slots. Until is the closing time of an
	// OPENING_HOURS option's slots; a time at or before At is on the next day.
	Lasts time.Duration `yaml:"lasts" json:"lasts,omitempty"`
	Until string        `yaml:"until" json:"until,omitempty"`
	// Weekdays are the weekdays that Left covers; absent means all.
	Weekdays []string `yaml:"weekdays" json:"weekdays,omitempty"`
	// Left is the seats left of each slot, with one entry for each day.
	Left []Left `yaml:"left" json:"left"`
	// Capacity is the capacity of slots whose entry in Left does not state one.
	Capacity int `yaml:"capacity" json:"capacity,omitempty"`
	// Prices are the slots' own prices (AVL-6); absent if they have none.
	Prices *[]partnerapi.UnitPricing `yaml:"prices" json:"prices,omitempty"`
}

// MarshalJSON writes the line in the form of a catalog file.
func (l CalendarLine) MarshalJSON() ([]byte, error) {
	type plain CalendarLine // without this method
	written := struct {
		plain
		Lasts string `json:"lasts,omitempty"`
	}{plain: plain(l)}
	if l.Lasts != 0 {
		written.Lasts = l.Lasts.String()
	}
	return json.Marshal(written)
}

// Left is one entry of a calendar. It is a slot's vacancies, such as 12, or with its capacity, such
// as 12/20. A closed slot has the word closed before them, or alone. The word none means that there
// is no slot on this day, and free that the slot has no limit.
type Left string

// These are the words of Left.
const (
	LeftNone   = "none"
	LeftClosed = "closed"
	LeftFree   = "free"
)

// UnmarshalYAML reads a number or a word.
func (l *Left) UnmarshalYAML(node ast.Node) error {
	text := node.GetToken().Value
	if _, isScalar := node.(ast.ScalarNode); !isScalar {
		return yamlfile.ErrorAt(node, "expected the remaining seats of a slot, such as 12, 12/20, closed, closed 3/20, free or none")
	}
	if _, err := Left(text).moment(0); err != nil {
		return yamlfile.ErrorAt(node, "%v", err)
	}
	*l = Left(text)
	return nil
}

// moment returns the slot that the entry describes, or nil for none.
func (l Left) moment(capacity int) (*Moment, error) {
	rest, closed := strings.CutPrefix(string(l), LeftClosed)
	rest = strings.TrimPrefix(rest, " ")
	left, of, named := strings.Cut(rest, "/")
	m := &Moment{Capacity: capacity, Counted: true, Closed: closed}
	if named {
		var err error
		if m.Capacity, err = strconv.Atoi(of); err != nil || m.Capacity < 0 || m.Capacity > maxSeats {
			return nil, l.formatError()
		}
	}
	switch {
	case l == LeftNone:
		return nil, nil
	case l == LeftFree:
		m.Counted = false
		return m, nil
	case l == LeftClosed:
		m.Vacancies, m.Counted = m.Capacity, m.Capacity > 0
		return m, nil
	}
	seats, err := strconv.Atoi(left)
	if err != nil || seats < 0 || seats > maxSeats {
		return nil, l.formatError()
	}
	m.Vacancies, m.Capacity = seats, max(seats, m.Capacity)
	return m, nil
}

func (l Left) formatError() error {
	return fmt.Errorf("expected the remaining seats of a slot, such as 12, 12/20, closed, closed 3/20, free or none, received %q", string(l))
}

// Moment is a slot of a calendar before the mock has sold any of it.
type Moment struct {
	Lasts               time.Duration
	Until               int // minutes after the midnight before its start; used if Lasts is 0
	Counted, Closed     bool
	Capacity, Vacancies int
	Prices              []partnerapi.UnitPricing // nil if it has no prices
}

// dates is a calendar in a form for lookups.
type dates struct {
	first int64 // of the days, since 1970-01-01
	days  int64
	at    map[int][]*Moment // by minutes after midnight, one for each day
}

// moment returns the slot at that time.
func (d *dates) moment(day int64, minute int) *Moment {
	at := d.at[minute]
	if at == nil {
		return nil
	}
	return at[d.calendarDay(day)]
}

// calendarDay returns the index of the calendar's day that stands for any other day. It is a whole number
// of weeks away: among the last whole weeks for later days, and the first ones for earlier days.
func (d *dates) calendarDay(day int64) int64 {
	const week = 7
	offset := day - d.first
	weeks := d.days / week * week
	switch {
	case offset >= 0 && offset < d.days:
		return offset
	case weeks == 0: // less than a week is known
		return ((offset % d.days) + d.days) % d.days
	case offset < 0:
		return ((offset % weeks) + weeks) % weeks
	default:
		return d.days - weeks + (offset-d.days)%weeks
	}
}

// maxCalendarDays is the maximum number of days of a calendar. It covers the longest window.
const maxCalendarDays = 366

// compile validates the calendar and prepares it for lookups. The error begins with the location of
// the problem.
func (c *Calendar) compile(kind partnerapi.AvailabilityType) (*dates, error) {
	first, err := time.Parse(partnerapi.DateLayout, c.From)
	switch {
	case err != nil:
		return nil, fmt.Errorf("from: expected a date such as 2026-07-01, received %q", c.From)
	case c.Days < 1 || c.Days > maxCalendarDays:
		return nil, fmt.Errorf("days: expected a number from 1 to %d, received %d", maxCalendarDays, c.Days)
	}
	d := &dates{first: first.Unix() / (24 * 60 * 60), days: int64(c.Days), at: map[int][]*Moment{}}
	for i, line := range c.Slots {
		if err := d.add(line, first, kind); err != nil {
			return nil, fmt.Errorf("slots[%d].%w", i, err)
		}
	}
	return d, nil
}

func (d *dates) add(line CalendarLine, first time.Time, kind partnerapi.AvailabilityType) error {
	minute, err := parseTimeOfDay(line.At)
	if err != nil {
		return fmt.Errorf("at: %w", err)
	}
	until := 0
	switch {
	case kind == partnerapi.StartTime && (line.Lasts < time.Minute || line.Lasts > 30*24*time.Hour || line.Until != ""):
		return fmt.Errorf("lasts: expected a duration from 1m to 720h and no until, received %s", line.Lasts)
	case kind == partnerapi.OpeningHours && line.Lasts != 0:
		return fmt.Errorf("lasts: an OPENING_HOURS option has until instead")
	case kind == partnerapi.OpeningHours:
		if until, err = parseTimeOfDay(line.Until); err != nil {
			return fmt.Errorf("until: %w", err)
		}
		if until <= minute {
			until += 24 * 60
		}
	}
	on := [7]bool{}
	for i, name := range line.Weekdays {
		day, err := parseWeekday(name)
		if err != nil {
			return fmt.Errorf("weekdays[%d]: %w", i, err)
		}
		on[day] = true
	}
	if line.Capacity < 0 || line.Capacity > maxSeats {
		return fmt.Errorf("capacity: expected a number of seats from 0 to %d, received %d", maxSeats, line.Capacity)
	}
	if d.at[minute] == nil {
		d.at[minute] = make([]*Moment, d.days)
	}
	days, next := d.at[minute], 0
	for n := range days {
		if len(line.Weekdays) > 0 && !on[first.AddDate(0, 0, n).Weekday()] {
			continue
		}
		if next == len(line.Left) {
			return fmt.Errorf("left: expected an entry for each of the days, received only %d", next)
		}
		m, err := line.Left[next].moment(line.Capacity)
		next++
		switch {
		case err != nil:
			return fmt.Errorf("left[%d]: %w", next-1, err)
		case m == nil:
			continue
		case days[n] != nil:
			return fmt.Errorf("left[%d]: there is a slot at %s on this day already", next-1, line.At)
		}
		m.Lasts, m.Until = line.Lasts, until
		if line.Prices != nil {
			m.Prices = append([]partnerapi.UnitPricing{}, *line.Prices...)
		}
		days[n] = m
	}
	if next < len(line.Left) {
		return fmt.Errorf("left: expected %d entries, one for each of the days, received %d", next, len(line.Left))
	}
	return nil
}
