package storefront

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Store is the catalog in the database.
type Store interface {
	// Listen returns a feed of what is told from now on.
	Listen(ctx context.Context) (Feed, error)
	// Announce puts a mark among the news of all feeds, after what has been
	// committed before.
	Announce(ctx context.Context, mark string) error
	// AllRows returns the listed activities in the order of the list.
	AllRows(ctx context.Context) ([]Row, error)
	// Rows returns those activities, and all of those integrations, listed or not, in
	// the order of the list.
	Rows(ctx context.Context, activities, integrations []uuid.UUID) ([]Row, error)
	// ListedActivities returns those of the activities that resellers of the mode may see.
	ListedActivities(ctx context.Context, mode marketplace.Mode, ids []uuid.UUID) ([]marketplace.Activity, error)
	// Slots returns a variation's slots of some dates, both inclusive, in their order.
	Slots(ctx context.Context, variation uuid.UUID, from, to time.Time) ([]marketplace.Slot, error)
	// Terms returns what every price is made with.
	Terms(ctx context.Context) (marketplace.Terms, error)
}

// Feed tells what changes, in the order of the commits.
type Feed interface {
	Next(ctx context.Context) (News, error)
	Close()
}

// News is what has changed.
type News struct {
	All          bool // anything may have
	Terms        bool
	Activities   []uuid.UUID
	Integrations []uuid.UUID // each with all of its activities
	Marks        []string
}

func (n *News) add(more News) {
	n.All, n.Terms = n.All || more.All, n.Terms || more.Terms
	n.Activities = append(n.Activities, more.Activities...)
	n.Integrations = append(n.Integrations, more.Integrations...)
	n.Marks = append(n.Marks, more.Marks...)
}

// Row is what the index holds of an activity: its place in the list, and the words that
// it is found by.
type Row struct {
	ID        uuid.UUID
	Mode      marketplace.Mode
	CreatedAt time.Time
	Listed    bool // resellers may see it

	Title, PromoTitle                      string
	ShortDescription, Description, Address string
	CountryID, Country, City, Region       string
	Categories, Tags                       []string
	TranslatedTitles, TranslatedTexts      []string
}
