package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// SlotOption is the part of a variation that a pull of its slots needs.
type SlotOption struct {
	VariationID uuid.UUID
	ProductID   string            // the partner's
	TimeZone    string            // the product's
	Option      partnerapi.Option // as the partner last sent it
	Stored      StoredSlots       // zero: every day is read
}

// Window is a range of days in the product's zone, both ends inclusive.
type Window struct {
	Zone     *time.Location
	From, To time.Time // dates, like those of domain.DateIn
}

// windowAt returns the window of a pull now: today and 60 more days (AVL-2).
func windowAt(now time.Time, zone *time.Location) Window {
	today := domain.DateIn(now, zone)
	return Window{Zone: zone, From: today, To: today.AddDate(0, 0, partnerapi.LookaheadDays)}
}

// Request returns the request for an option's slots with one adult, or with one of its first unit.
func (w Window) Request(o SlotOption) partnerapi.AvailabilityRequest {
	return partnerapi.AvailabilityRequest{
		ProductID: o.ProductID, OptionID: o.Option.ID,
		LocalDateStart: w.From.Format(partnerapi.DateLayout), LocalDateEnd: w.To.Format(partnerapi.DateLayout),
		Units: []partnerapi.UnitQuantity{{ID: domain.AskedUnit(o.Option), Quantity: 1}},
	}
}

// SlotPull is the content of an answer about an option's slots, to be written in one transaction.
type SlotPull struct {
	VariationID uuid.UUID
	SentAt      time.Time
	Before      StoredSlots // with which the answer was compared
	*PulledSlots
}

// SlotChanges are the rows that a pull has written.
type SlotChanges struct {
	Written int  // new or changed slots
	Closed  int  // slots of the window that are missing from the answer
	Late    bool // a later pull has been stored, so nothing was written
}

// SlotStore stores slots.
type SlotStore interface {
	// StoreSlots writes the slots that differ, closes missing ones of the days that were read, and
	// stores when the pull was sent. Older data never replaces newer data: the age of a slot is its
	// last notification or its option's last complete pull, whichever is later. The error is
	// Conflict, and nothing is written, if the slots of skipped days have changed since the answer
	// was compared with them.
	StoreSlots(ctx context.Context, pull SlotPull) (SlotChanges, error)
}

// SlotSource pulls slots. It is a partner.Client.
type SlotSource interface {
	Availability(ctx context.Context, t partner.Target, asked partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) error
}

// SlotPuller pulls the slots of options. It is safe for concurrent use.
type SlotPuller struct {
	store   SlotStore
	partner SlotSource
	now     func() time.Time
	onPull  func(error)
}

// NewSlotPuller returns a puller.
func NewSlotPuller(store SlotStore, partner SlotSource, now func() time.Time) *SlotPuller {
	return &SlotPuller{store: store, partner: partner, now: now, onPull: func(error) {}}
}

// OnPull registers f to be called after every pull. Call it before the puller is in use.
func (p *SlotPuller) OnPull(f func(error)) { p.onPull = f }

// SlotOutcome is the result of a pull.
type SlotOutcome struct {
	SlotChanges
	SentAt   time.Time
	Slots    int // valid slots in the answer
	Skipped  int // those that were not read, because they are stored as the answer has them
	SetAside []SlotSetAside
}

// Pull requests the option's slots of today and 60 more days in one call, and stores what differs.
// The error is PartnerLate or PartnerFailed if the partner caused it. Nothing is written then.
func (p *SlotPuller) Pull(ctx context.Context, target partner.Target, o SlotOption) (SlotOutcome, error) {
	pulled, err := p.pull(ctx, target, o)
	p.onPull(err)
	return pulled, err
}

func (p *SlotPuller) pull(ctx context.Context, target partner.Target, o SlotOption) (SlotOutcome, error) {
	zone, err := time.LoadLocation(o.TimeZone)
	if err != nil {
		return SlotOutcome{}, fmt.Errorf("the zone of product %q: %w", o.ProductID, err)
	}
	pull := SlotPull{VariationID: o.VariationID, SentAt: p.now(), Before: o.Stored}
	window := windowAt(pull.SentAt, zone)
	if err := p.partner.Availability(ctx, target, window.Request(o), func(ctx context.Context, body []byte) (err error) {
		pull.PulledSlots, err = readPull(ctx, body, window, o.Stored)
		return err
	}); err != nil {
		return SlotOutcome{}, err
	}
	pull.Answer.withoutKey(target.AuthKey)
	changes, err := p.store.StoreSlots(ctx, pull)
	if domain.CodeOf(err) == domain.Conflict && len(pull.Skipped) > 0 {
		o.Stored = StoredSlots{}
		return p.pull(ctx, target, o)
	}
	return SlotOutcome{SlotChanges: changes, SentAt: pull.SentAt, Slots: pull.Slots, Skipped: pull.Slots - len(pull.Answer.Slots), SetAside: pull.Answer.SetAside}, err
}

// Standing is the state of an integration's catalog and slots.
type Standing struct {
	LastSync *Sync        // nil before the first sync
	Running  *RunningSync // nil: no sync runs
	Guarded  bool         // the guard holds a pull
	Slots    SlotsKnown
}

// SlotsKnown says for how many of an integration's options slots are loaded.
type SlotsKnown struct {
	Options      int                  // in the partner's catalog
	Pulled       int                  // options whose slots have been pulled
	OldestPullAt *time.Time           // when the oldest of the last pulls was sent; nil before the first pull
	SetAside     []OptionSlotSetAside // the first few of the last pulls
}

// OptionSlotSetAside is a slot that is invalid and not sold, with its option.
type OptionSlotSetAside struct {
	ProductID string
	OptionID  string
	SlotSetAside
}
