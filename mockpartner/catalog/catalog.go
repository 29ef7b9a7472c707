// Package catalog defines what a mock partner sells: its products, in the types that GET /products
// uses, and a schedule for each option. The platform computes slots for any window from the
// schedule.
//
// A catalog has one of three sources. Default is a small catalog with an example of everything that
// the contract allows. Parse reads a YAML file (default.yaml is the documented example). Generate
// draws any number of products from a seed. Index validates a catalog and turns it into the form
// that a platform uses.
package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // slots are the same on every machine, whatever zones it has

	"partnerkit.dev/schemas/partnerapi"
)

// Catalog is everything that one partner sells, and its policy.
type Catalog struct {
	Policy   `yaml:",inline"`
	Products []Product `yaml:"products" json:"products"`
	// Shares are the seats that several slots draw on.
	Shares []SharedSeats `yaml:"shares" json:"shares,omitempty"`
	// Generate, in place of products, makes Index generate them.
	Generate *Generated `yaml:"generate" json:"generate,omitempty"`

	// source is the file that the catalog was read from. It gives problems their line numbers.
	source *source
}

type source struct {
	name string
	text []byte
}

// Policy says which of the contract's optional features the partner lacks. Its zero value is a
// partner with all of them.
type Policy struct {
	// NoHolds: reserve keeps no seats; expiresAt is 24 hours ahead, and confirm takes the seats
	// (RSV-8, CNF-7).
	NoHolds bool `yaml:"noHolds" json:"noHolds,omitempty"`
	// NoCancel: the cancel endpoint answers 404 (CAN-6).
	NoCancel bool `yaml:"noCancel" json:"noCancel,omitempty"`
	// NoTickets: confirm sends no tickets (CNF-6 does not bind the partner).
	NoTickets bool `yaml:"noTickets" json:"noTickets,omitempty"`
	// Codes is the style of codes and booking ids; empty means PlainCodes.
	Codes CodeStyle `yaml:"codes" json:"codes,omitempty"`
}

// CodeStyle is the style of reservation codes and booking ids (RSV-6).
type CodeStyle string

const (
	// PlainCodes are letters, digits and dashes.
	PlainCodes CodeStyle = "plain"
	// AwkwardCodes contain slashes, plus and percent signs, spaces and letters beyond ASCII; one in
	// a sandbox is "..". All of these are lawful.
	AwkwardCodes CodeStyle = "awkward"
)

// Product is a product as the contract shows it, with the schedules of its options by option id.
type Product struct {
	partnerapi.Product `yaml:",inline"`
	Schedules          map[string]Schedule `yaml:"schedules" json:"schedules"`
}

// Schedule says when an option has slots and how they sell. Times of day are "HH:MM" in the
// product's zone.
type Schedule struct {
	// Starts are the daily start times of a START_TIME option.
	Starts []string `yaml:"starts" json:"starts,omitempty"`
	// Duration is the length of a START_TIME option's slots.
	Duration time.Duration `yaml:"duration" json:"duration,omitempty"`
	// Opens and Closes are the daily window of an OPENING_HOURS option. If Closes is at or before
	// Opens, the window ends on the next day.
	Opens  string `yaml:"opens" json:"opens,omitempty"`
	Closes string `yaml:"closes" json:"closes,omitempty"`
	// ClosedOn lists the weekdays without slots, such as "Monday".
	ClosedOn []string `yaml:"closedOn" json:"closedOn,omitempty"`
	// CutOff is how long before its start (for OPENING_HOURS: its end) a slot's sale ends. From
	// then on the slot is CLOSED.
	CutOff time.Duration `yaml:"cutOff" json:"cutOff,omitempty"`

	// Capacity is the range of a slot's seats.
	Capacity Seats `yaml:"capacity" json:"capacity,omitzero"`
	// LimitedAt is the number of vacancies at or below which a slot is LIMITED; absent means
	// DefaultLimitedAt.
	LimitedAt *int `yaml:"limitedAt" json:"limitedAt,omitempty"`
	// Freesale: the option's slots have no limit and the status FREESALE.
	Freesale bool `yaml:"freesale" json:"freesale,omitempty"`
	// HideVacancies: slots show neither vacancies nor capacity (AVL-14).
	HideVacancies bool `yaml:"hideVacancies" json:"hideVacancies,omitempty"`
	// Seats is how many seats a guest of a unit takes, by unit id. Absent means 1, and 0 for units
	// of type INFANT (RSV-9).
	Seats map[string]int `yaml:"seats" json:"seats,omitempty"`

	// SoldOut, Closed and Limited are the shares, in percent, of the slots that initially have that
	// status.
	SoldOut int `yaml:"soldOut" json:"soldOut,omitempty"`
	Closed  int `yaml:"closed" json:"closed,omitempty"`
	Limited int `yaml:"limited" json:"limited,omitempty"`
	// UnitPricing says whether slots have their own prices.
	UnitPricing PricingStyle `yaml:"unitPricing" json:"unitPricing,omitempty"`

	// Calendar lists the slots one by one. Only CutOff, LimitedAt, Freesale, HideVacancies and
	// Seats may be combined with it.
	Calendar *Calendar `yaml:"calendar" json:"calendar,omitempty"`
}

// MarshalJSON writes the schedule in the form of a catalog file.
func (s Schedule) MarshalJSON() ([]byte, error) {
	type plain Schedule // without this method
	written := struct {
		plain
		Duration string `json:"duration,omitempty"`
		CutOff   string `json:"cutOff,omitempty"`
	}{plain: plain(s)}
	if s.Duration != 0 {
		written.Duration = s.Duration.String()
	}
	if s.CutOff != 0 {
		written.CutOff = s.CutOff.String()
	}
	return json.Marshal(written)
}

// DefaultLimitedAt is the LimitedAt of a schedule that does not set one.
const DefaultLimitedAt = 3

// Seats is a range of a number of seats, inclusive at both ends.
type Seats struct {
	Min int `yaml:"min" json:"min"`
	Max int `yaml:"max" json:"max"`
}

// PricingStyle is the form of a slot's unitPricing (AVL-6).
type PricingStyle string

const (
	// PricingAbsent omits unitPricing: the option's prices apply. An empty style means the same.
	PricingAbsent PricingStyle = "absent"
	// PricingOwn gives every slot its own prices, which are higher at weekends.
	PricingOwn PricingStyle = "own"
	// PricingEmpty sends an empty array.
	PricingEmpty PricingStyle = "empty"
	// PricingMixed varies between the three.
	PricingMixed PricingStyle = "mixed"
)

// parseTimeOfDay reads "HH:MM" as minutes after midnight.
func parseTimeOfDay(s string) (int, error) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return 0, fmt.Errorf("expected a time of day such as \"09:30\", in quotes, received %q", s)
	}
	return t.Hour()*60 + t.Minute(), nil
}

func parseStarts(starts []string) ([]int, error) {
	minutes := make([]int, 0, len(starts))
	for _, start := range starts {
		minute, err := parseTimeOfDay(start)
		if err != nil {
			return nil, err
		}
		if slices.Contains(minutes, minute) {
			return nil, fmt.Errorf("%s is listed twice: the start of every slot must be unique", start)
		}
		minutes = append(minutes, minute)
	}
	slices.Sort(minutes)
	return minutes, nil
}

func parseWeekday(name string) (time.Weekday, error) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(name, day.String()) {
			return day, nil
		}
	}
	return 0, fmt.Errorf("expected a weekday such as Monday, received %q", name)
}

func (s Schedule) seatsOf(unit partnerapi.Unit) int {
	if seats, ok := s.Seats[unit.ID]; ok {
		return seats
	}
	if unit.Type == partnerapi.Infant {
		return 0
	}
	return 1
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
