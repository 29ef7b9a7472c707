package storefront

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
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
	// ListedActivities returns the given activities that resellers of the mode may see.
	ListedActivities(ctx context.Context, mode domain.Mode, ids []uuid.UUID) ([]domain.Activity, error)
	// Slots returns a variation's slots of a range of dates, both ends inclusive, in order.
	Slots(ctx context.Context, variation uuid.UUID, from, to time.Time) ([]domain.Slot, error)
	// Terms returns the terms of all prices.
	Terms(ctx context.Context) (domain.Terms, error)
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
	Marks        []string
}

func (n *Change) add(more Change) {
	n.All, n.Terms = n.All || more.All, n.Terms || more.Terms
	n.Activities = append(n.Activities, more.Activities...)
	n.Integrations = append(n.Integrations, more.Integrations...)
	n.Marks = append(n.Marks, more.Marks...)
}

// Row is the index's data of an activity: its position in the list and its searchable words.
type Row struct {
	ID        uuid.UUID
	Mode      domain.Mode
	CreatedAt time.Time
	Listed    bool // resellers see it

	Title, PromoTitle                      string
	ShortDescription, Description, Address string
	CountryID, Country, City, Region       string
	Categories, Tags                       []string
	TranslatedTitles, TranslatedTexts      []string
}
