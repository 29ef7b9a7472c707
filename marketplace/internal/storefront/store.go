package storefront

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// Store reads the catalog from the database.
type Store interface {
	// Listen returns a feed of changes from now on.
	Listen(ctx context.Context) (Feed, error)
	// Announce sends a mark to all feeds. It arrives after all earlier commits.
	Announce(ctx context.Context, mark string) error
	// AllRows returns the listed activities in order.
	AllRows(ctx context.Context) ([]Row, error)
	// Rows returns the given activities and all activities of the given integrations, listed or
	// not, in the list's order.
	Rows(ctx context.Context, activities, integrations []uuid.UUID) ([]Row, error)
	// EachOffer calls take with what each listed activity among these sells, without slots that have
	// started by now. The offers of an activity follow one another.
	EachOffer(ctx context.Context, activities []uuid.UUID, now time.Time, take func(Offer)) error
	// ListedActivities returns the given activities that resellers of the mode may see.
	ListedActivities(ctx context.Context, mode domain.Mode, ids []uuid.UUID) ([]domain.Activity, error)
	// Slots returns the slots of variations in a range of dates, both ends inclusive: one variation
	// after another, each in order.
	Slots(ctx context.Context, variations []uuid.UUID, from, to time.Time) ([]domain.Slot, error)
	// Terms returns the terms of all prices at a time.
	Terms(ctx context.Context, now time.Time) (domain.Terms, error)
}

// Feed delivers changes in the order of commits.
type Feed interface {
	Next(ctx context.Context) (Change, error)
	Close()
}

// Change describes a change.
type Change struct {
	All          bool // anything may have changed
	Terms        bool
	Activities   []uuid.UUID
	Integrations []uuid.UUID // all activities of these
	Slots        []uuid.UUID // other slots of these activities can be booked
	Marks        []string
}

func (n *Change) add(more Change) {
	n.All, n.Terms = n.All || more.All, n.Terms || more.Terms
	n.Activities = append(n.Activities, more.Activities...)
	n.Integrations = append(n.Integrations, more.Integrations...)
	n.Slots = append(n.Slots, more.Slots...)
	n.Marks = append(n.Marks, more.Marks...)
}

// Row is the index's data of an activity: its position in the list, its searchable words, its titles,
// and what its prices depend on.
type Row struct {
	ID        uuid.UUID
	Mode      domain.Mode
	CreatedAt time.Time
	Listed    bool // resellers see it

	Title, PromoTitle                      string
	ShortDescription, Description, Address string
	CountryID, Country, City, Region       string
	Categories, Tags, VariationTitles      []string
	TranslatedTexts                        []string
	Locale                                 string
	Titles                                 map[string]string // by language; "" without a title
	Currency                               domain.Currency   // of the partner's first price
	Markup, Discount                       string            // decimals, in percent; "": none
}

// Offer is what a variation sells at one price.
type Offer struct {
	Activity uuid.UUID
	Units    []partnerapi.Unit        // of the option
	Group    *domain.GroupPrice       // nil: each guest pays
	Own      []partnerapi.UnitPricing // the slots' own prices; nil: the option's
	Days     []int32                  // with slots at this price that can be booked, since 1970-01-01
	Starts   []int64                  // of the last such slot of each day, in seconds since 1970-01-01
}
