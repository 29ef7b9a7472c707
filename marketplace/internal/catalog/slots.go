package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// SlotOption is a variation as its slots are pulled.
type SlotOption struct {
	VariationID uuid.UUID
	ProductID   string            // the partner's
	TimeZone    string            // the product's
	Option      partnerapi.Option // as the partner last sent it
}

// Window is the days that slots are asked for, in the product's zone, both inclusive.
type Window struct {
	Zone     *time.Location
	From, To time.Time // dates, as marketplace.DateIn has them
}

// windowAt is the window of a pull that is sent now: today and 60 days more (AVL-2).
func windowAt(now time.Time, zone *time.Location) Window {
	today := marketplace.DateIn(now, zone)
	return Window{Zone: zone, From: today, To: today.AddDate(0, 0, partnerapi.LookaheadDays)}
}

// Request asks for an option's slots with one adult, or one of its first unit.
func (w Window) Request(o SlotOption) partnerapi.AvailabilityRequest {
	return partnerapi.AvailabilityRequest{
		ProductID: o.ProductID, OptionID: o.Option.ID,
		LocalDateStart: w.From.Format(partnerapi.DateLayout), LocalDateEnd: w.To.Format(partnerapi.DateLayout),
		Units: []partnerapi.UnitQuantity{{ID: marketplace.AskedUnit(o.Option), Quantity: 1}},
	}
}

// SlotPull is what an answer says of an option's slots, to be written in one
// transaction.
type SlotPull struct {
	VariationID uuid.UUID
	SentAt      time.Time
	Window      Window
	Answer      *SlotAnswer
}

// SlotChanges are the rows that a pull has written.
type SlotChanges struct {
	Written int  // slots that are new, or differ
	Closed  int  // slots of the window that are not in the answer any more
	Late    bool // a later pull was stored before: nothing was written
}

// SlotStore keeps slots.
type SlotStore interface {
	// StoreSlots writes the slots that differ, closes those of the window that are
	// gone, and remembers when the pull was sent. Older news never overwrites newer:
	// a slot is as old as its own news, or its option's last complete pull, whichever
	// is later.
	StoreSlots(ctx context.Context, pull SlotPull) (SlotChanges, error)
}

// SlotSource is asked for slots: a partner.Client.
type SlotSource interface {
	Availability(ctx context.Context, t partner.Target, asked partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) error
}

// SlotPuller pulls the slots of options. It is safe for concurrent use.
type SlotPuller struct {
	store   SlotStore
	partner SlotSource
	now     func() time.Time
	told    func(error)
}

// NewSlotPuller returns a puller.
func NewSlotPuller(store SlotStore, partner SlotSource, now func() time.Time) *SlotPuller {
	return &SlotPuller{store: store, partner: partner, now: now, told: func(error) {}}
}

// Tell registers f to be called after every pull. Call it before the puller is in use.
func (p *SlotPuller) Tell(f func(error)) { p.told = f }

// SlotOutcome is what came of a pull.
type SlotOutcome struct {
	SlotChanges
	SentAt   time.Time
	Slots    int // good ones of the answer
	SetAside []SlotSetAside
}

// Pull asks a partner for the option's slots of today and 60 days more, by one call,
// and stores what differs. The error is PartnerLate or PartnerFailed where the partner
// is to blame, and nothing was written then.
func (p *SlotPuller) Pull(ctx context.Context, target partner.Target, o SlotOption) (SlotOutcome, error) {
	pulled, err := p.pull(ctx, target, o)
	p.told(err)
	return pulled, err
}

func (p *SlotPuller) pull(ctx context.Context, target partner.Target, o SlotOption) (SlotOutcome, error) {
	zone, err := time.LoadLocation(o.TimeZone)
	if err != nil {
		return SlotOutcome{}, fmt.Errorf("the zone of product %q: %w", o.ProductID, err)
	}
	pull := SlotPull{VariationID: o.VariationID, SentAt: p.now()}
	pull.Window = windowAt(pull.SentAt, zone)
	if err := p.partner.Availability(ctx, target, pull.Window.Request(o), func(ctx context.Context, body []byte) (err error) {
		pull.Answer, err = ReadSlots(ctx, body, pull.Window)
		return err
	}); err != nil {
		return SlotOutcome{}, err
	}
	pull.Answer.withoutKey(target.AuthKey)
	changes, err := p.store.StoreSlots(ctx, pull)
	return SlotOutcome{SlotChanges: changes, SentAt: pull.SentAt, Slots: len(pull.Answer.Slots), SetAside: pull.Answer.SetAside}, err
}

// Standing is where an integration's catalog and slots stand.
type Standing struct {
	LastSync *Sync // nil before the first sync
	Guarded  bool  // the guard holds a pull back
	Slots    SlotsKnown
}

// SlotsKnown tells how far the slots of an integration's options are known.
type SlotsKnown struct {
	Options      int                  `json:"options"`        // that are in the partner's catalog
	Pulled       int                  `json:"pulled"`         // of which slots have been pulled
	OldestPullAt *time.Time           `json:"oldest_pull_at"` // when the oldest of the last pulls was sent; nil before the first pull
	SetAside     []OptionSlotSetAside `json:"set_aside"`      // by the last pulls, the first few
}

// OptionSlotSetAside is a slot that is invalid and not sold, with its option.
type OptionSlotSetAside struct {
	ProductID string `json:"product_id"`
	OptionID  string `json:"option_id"`
	SlotSetAside
}
