package platform

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/jq"
)

// Quirk is one way in which the platform itself misbehaves. It is computed from live state, so that
// its effects appear wherever those of a real mistake of that kind would. Its keys in a file are
// the names of the fields.
//
// A quirk does one of four things. It changes a case of the lifecycle (On, with Does, Takes, Gives,
// Elsewhere, Late, Race). It reuses ids (Reuse). It changes ids with every call (Drift). It changes
// the order of lists each time (Shuffle).
type Quirk struct {
	// Name is the quirk's id; empty means quirk-1, quirk-2, ….
	Name string `yaml:"name" json:"name,omitempty"`

	On   Case `yaml:"on" json:"on,omitempty"`
	Does Does `yaml:"does" json:"does,omitempty"`
	// Takes and Gives are the seats that the case takes out of the slot's vacancies and returns to
	// them, in place of the correct number.
	Takes Amount `yaml:"takes" json:"takes,omitempty"`
	Gives Amount `yaml:"gives" json:"gives,omitempty"`
	// Elsewhere moves the seats of the option's next slot instead.
	Elsewhere bool `yaml:"elsewhere" json:"elsewhere,omitempty"`
	// Late delays the move of the seats by this time after the answer, by the platform's clock.
	Late Duration `yaml:"late" json:"late,omitempty"`
	// Race reads the state, waits this long in real time, and then acts on the old state. It is
	// allowed with On reserve, confirm, release and cancel.
	Race Duration `yaml:"race" json:"race,omitempty"`
	// Against limits a race to one state into which another call moved the hold meanwhile; empty
	// means any. It is allowed with On confirm and release.
	Against Meanwhile `yaml:"against" json:"against,omitempty"`
	// Overwrites makes a race write back the vacancies that it read. Changes by other calls to the
	// slot are lost.
	Overwrites bool `yaml:"overwrites" json:"overwrites,omitempty"`
	// Finds makes On confirm, release and cancel accept a code or booking id that differs from a
	// known one only in this way.
	Finds Nearly `yaml:"finds" json:"finds,omitempty"`

	Reuse   Reuse `yaml:"reuse" json:"reuse,omitempty"`
	Drift   Drift `yaml:"drift" json:"drift,omitempty"`
	Shuffle bool  `yaml:"shuffle" json:"shuffle,omitempty"`

	// Product and Option limit the quirk to one product, and to one option: an id, First or Last.
	// FromDay limits it to slots at least this many days from today.
	Product string `yaml:"product" json:"product,omitempty"`
	Option  string `yaml:"option" json:"option,omitempty"`
	FromDay int    `yaml:"from_day" json:"from_day,omitempty"`
	// OnceFull limits it to slots that have been without seats since a quirk first required this.
	OnceFull bool `yaml:"once_full" json:"once_full,omitempty"`
	// OnceCancelled limits it to slots that had a booking cancelled since a quirk first required
	// this.
	OnceCancelled bool `yaml:"once_cancelled" json:"once_cancelled,omitempty"`

	// If is a jq predicate on the subject of the case; the module's README documents its input.
	If string `yaml:"if" json:"if,omitempty"`
	// Probability is the share of the remaining cases, above 0 and at most 1; 0 means 1.
	Probability float64 `yaml:"probability" json:"probability,omitempty"`

	condition *jq.Program  // compiled If; nil before compile, or if there is no condition
	applied   *atomic.Bool // whether the quirk has applied; nil before compile
}

// Last stands for the last product of the catalog, or the last option of its product, which tests
// rarely check. First stands for the first one.
const (
	Last  = "last"
	First = "first"
)

// Meanwhile is the state into which another call moved a hold.
type Meanwhile string

// Case is a case of the lifecycle: a call or an expiry, and the state it meets.
type Case string

const (
	OnReserve          Case = "reserve"           // a bookable slot with enough seats
	OnReserveClosed    Case = "reserve-closed"    // a closed slot
	OnReserveSoldOut   Case = "reserve-sold-out"  // a slot without seats
	OnReserveTooMany   Case = "reserve-too-many"  // a slot with too few seats
	OnReserveBadSize   Case = "reserve-bad-size"  // a party outside the limits that the option declares
	OnReserveBadParty  Case = "reserve-bad-party" // guest types that are not sold, or more guests than allowed
	OnConfirm          Case = "confirm"           // a live hold
	OnConfirmAgain     Case = "confirm-again"     // a hold that is a booking
	OnConfirmReleased  Case = "confirm-released"  // a hold that was released
	OnConfirmExpired   Case = "confirm-expired"   // a hold that expired
	OnConfirmCancelled Case = "confirm-cancelled" // a hold whose booking was cancelled
	OnConfirmUnknown   Case = "confirm-unknown"   // no hold
	OnRelease          Case = "release"           // a live hold
	OnReleaseAgain     Case = "release-again"     // a hold that was released
	OnReleaseExpired   Case = "release-expired"   // a hold that expired
	OnReleaseConfirmed Case = "release-confirmed" // a hold that is a booking
	OnReleaseCancelled Case = "release-cancelled" // a hold whose booking was cancelled
	OnCancel           Case = "cancel"            // a booking
	OnCancelAgain      Case = "cancel-again"      // a booking that was cancelled
	OnExpiry           Case = "expiry"            // a live hold that expires
	OnPull             Case = "pull"              // a live hold or booking, when the catalog is pulled
	OnWindow           Case = "window"            // the same, when a month or more of its option's slots is requested
)

// Does is what a case does in place of the correct behaviour.
type Does string

const (
	// Accept carries out a call that should be refused or change nothing: it holds, books again, or
	// ends the booking.
	Accept Does = "accept"
	// Refuse answers 400 without a reason.
	Refuse Does = "refuse"
	// Nothing answers with success, but changes nothing.
	Nothing Does = "nothing"
)

func allowedEffects() map[Case][]Does {
	return map[Case][]Does{
		OnReserve:          {Refuse, Nothing},
		OnReserveClosed:    {Accept},
		OnReserveSoldOut:   {Accept},
		OnReserveTooMany:   {Accept},
		OnReserveBadSize:   {Accept},
		OnReserveBadParty:  {},
		OnConfirm:          {Refuse, Nothing},
		OnConfirmAgain:     {Accept},
		OnConfirmReleased:  {Accept},
		OnConfirmExpired:   {Accept},
		OnConfirmCancelled: {Accept},
		OnConfirmUnknown:   {Accept},
		OnRelease:          {Nothing},
		OnReleaseAgain:     {},
		OnReleaseExpired:   {},
		OnReleaseConfirmed: {Accept},
		OnReleaseCancelled: {},
		OnCancel:           {Nothing},
		OnCancelAgain:      {},
		OnExpiry:           {Nothing},
		OnPull:             {},
		OnWindow:           {},
	}
}

// races lists the cases in which another call can come between reading and acting.
func races() []Case { return []Case{OnReserve, OnConfirm, OnRelease, OnCancel} }

// Amount is a number of seats, relative to a hold or a booking.
type Amount string

// The amounts.
const (
	AmountNone      Amount = "none"
	AmountOne       Amount = "one"
	AmountAll       Amount = "all"         // all seats of the party
	AmountAllButOne Amount = "all-but-one" // one too few
	AmountAllAndOne Amount = "all-and-one" // one too many
	AmountTwice     Amount = "twice"       // twice the seats of the party
	AmountFirstUnit Amount = "first-unit"  // the seats of the party's first unit
	AmountLastUnit  Amount = "last-unit"   // the seats of the party's last unit
	AmountEachUnit  Amount = "each-unit"   // one for each unit, whatever its quantity
)

func amounts() []Amount {
	return []Amount{AmountNone, AmountOne, AmountAll, AmountAllButOne, AmountAllAndOne, AmountTwice, AmountFirstUnit, AmountLastUnit, AmountEachUnit}
}

// Reuse names ids that are issued again.
type Reuse string

const (
	ReuseCodes      Reuse = "codes"       // the code of a hold that has ended
	ReuseBookingIDs Reuse = "booking-ids" // the id of a booking that was cancelled
)

// Drift names ids that change with every call. The platform still accepts the old ones.
type Drift string

// The ids that can change.
const (
	DriftProducts Drift = "products"
	DriftOptions  Drift = "options"
	DriftSlots    Drift = "slots"
)

// MaxQuirks is the maximum number of quirks of a platform.
const MaxQuirks = 64

// maxFromDay is the maximum FromDay: callers cannot request later slots.
const maxFromDay = MaxWindowDays

// Check validates the quirk. Its error is an *invalid.Error.
func (q Quirk) Check() error {
	can, known := allowedEffects()[q.On]
	about := 0
	for _, given := range []bool{q.On != "", q.Reuse != "", q.Drift != "", q.Shuffle} {
		if given {
			about++
		}
	}
	moves := q.Takes != "" || q.Gives != ""
	switch {
	case invalid.Name(q.Name) != nil:
		return invalid.Name(q.Name)
	case about != 1:
		return invalid.ErrorAt("on", "expected one of on, reuse, drift and shuffle")
	case q.On != "" && !known:
		return invalid.ErrorAt("on", "expected one of %v, received %q", cases(), q.On)
	case q.Does != "" && !slices.Contains(can, q.Does):
		return invalid.ErrorAt("does", "expected one of %v on %s, received %q", can, q.On, q.Does)
	case q.Takes != "" && !slices.Contains(amounts(), q.Takes):
		return invalid.ErrorAt("takes", "expected one of %v, received %q", amounts(), q.Takes)
	case q.Gives != "" && !slices.Contains(amounts(), q.Gives):
		return invalid.ErrorAt("gives", "expected one of %v, received %q", amounts(), q.Gives)
	case q.Finds != "" && (!slices.Contains([]Case{OnConfirm, OnRelease, OnCancel}, q.On) || !slices.Contains(allNearly(), q.Finds) || moves || q.Race != 0 || q.Does != ""):
		return invalid.ErrorAt("finds", "expected one of %v, with on: confirm, release or cancel and nothing else, received %q", allNearly(), q.Finds)
	case q.Against != "" && (q.Race == 0 || q.On != OnConfirm && q.On != OnRelease || q.Against != "confirmed" && q.Against != "released"):
		return invalid.ErrorAt("against", "expected confirmed or released, with a race on confirm or release, received %q", q.Against)
	case q.Overwrites && q.Race == 0:
		return invalid.ErrorAt("overwrites", "requires race, after which the vacancies are written back")
	case q.Probability < 0 || q.Probability > 1:
		return invalid.ErrorAt("probability", "expected a number above 0 and up to 1, received %v", q.Probability)
	case q.On == "" && (moves || q.Elsewhere || q.Late != 0 || q.Race != 0 || q.Does != ""):
		return invalid.ErrorAt("on", "does, takes, gives, elsewhere, late and race need on: the case that they are about")
	case q.On == OnConfirmUnknown && (moves || q.Product != "" || q.Option != "" || q.FromDay != 0 || q.OnceFull || q.OnceCancelled):
		return invalid.ErrorAt("on", "an unknown code has no slot: leave out takes, gives, and everything about products, options and slots")
	case q.OnceFull && q.On == "":
		return invalid.ErrorAt("once_full", "expected on: the case that the quirk is about")
	case q.OnceCancelled && q.On == "":
		return invalid.ErrorAt("once_cancelled", "expected on: the case that the quirk is about")
	case q.On != "" && q.Does == "" && !moves && q.Race == 0 && q.Finds == "":
		return invalid.ErrorAt("does", "the quirk changes nothing: say what it does, takes or gives")
	case (q.Elsewhere || q.Late != 0) && !moves:
		return invalid.ErrorAt("takes", "elsewhere and late need takes or gives")
	case q.Race != 0 && !slices.Contains(races(), q.On):
		return invalid.ErrorAt("race", "expected on: one of %v with it, received %q", races(), q.On)
	case q.Race != 0 && (q.Does == Refuse || q.Does == Nothing):
		return invalid.ErrorAt("race", "cannot be used with does: %s, because there is nothing to delay", q.Does)
	case q.Race < 0 || q.Race > maxRace:
		return invalid.ErrorAt("race", "expected at most %v", maxRace)
	case q.Reuse != "" && q.Reuse != ReuseCodes && q.Reuse != ReuseBookingIDs:
		return invalid.ErrorAt("reuse", "expected %s or %s, received %q", ReuseCodes, ReuseBookingIDs, q.Reuse)
	case q.Drift != "" && !slices.Contains([]Drift{DriftProducts, DriftOptions, DriftSlots}, q.Drift):
		return invalid.ErrorAt("drift", "expected %s, %s or %s, received %q", DriftProducts, DriftOptions, DriftSlots, q.Drift)
	case q.FromDay < 0 || q.FromDay > maxFromDay:
		return invalid.ErrorAt("from_day", "expected a number of days from 0 to %d, received %d", maxFromDay, q.FromDay)
	}
	_, err := q.compile()
	return err
}

// compile returns the quirk with its condition compiled and its applied mark cleared.
func (q Quirk) compile() (Quirk, error) {
	var err error
	q.applied = new(atomic.Bool)
	if q.If != "" {
		q.condition, err = jq.Compile("if", q.If)
	}
	return q, err
}

// decides reports whether the quirk's condition and probability select a case. A probability is
// decided by the seed and the number of the case.
func (q Quirk) decides(seed seed, about map[string]any, count int) bool {
	if q.condition != nil {
		if holds, err := q.condition.Holds(context.Background(), about); err != nil || !holds {
			return false
		}
	}
	decided := q.Probability == 0 || rand.New(rand.NewPCG(uint64(seed)+uint64(len(q.Name)), uint64(count))).Float64() < q.Probability
	if decided {
		q.applied.Store(true)
	}
	return decided
}

func cases() []Case {
	var all []Case
	for c := range allowedEffects() {
		all = append(all, c)
	}
	slices.Sort(all)
	return all
}

// Duration is a time.Duration that files write as 250ms, 2s or 1m30s.
type Duration time.Duration

// MaxDuration is the maximum of every duration in a file. A caller disconnects long before.
const MaxDuration = 10 * time.Minute

// UnmarshalYAML reads a duration of at most ten minutes.
func (d *Duration) UnmarshalYAML(node ast.Node) error {
	text := node.GetToken().Value
	_, isScalar := node.(ast.ScalarNode)
	parsed, err := time.ParseDuration(text)
	if err != nil || parsed < 0 || parsed > MaxDuration || !isScalar {
		return yamlfile.ErrorAt(node, "expected a duration from 0s to %s, such as 250ms or 2s, received %q", MaxDuration, text)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalJSON writes the duration in the form that files use.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

const maxRace = Duration(10 * time.Second)
