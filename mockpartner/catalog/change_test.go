package catalog

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// later is after every updatedAt of the catalogs that tests use.
var later = time.Date(2027, 3, 1, 12, 0, 0, 500_000_000, time.UTC)

func asJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	return text
}

func TestACatalogThatIsShownCanBeReadAgainAndIsTheSame(t *testing.T) {
	t.Parallel()
	generated, err := Generate(7, 50, 3)
	must(t, err)
	shared := Default()
	shared.Shares = []SharedSeats{{Name: "guide", Options: []string{"tokyo-market/breakfast", "st-johns-whales"}, Over: OverTime, Seats: 12, By: 4}}
	for name, original := range map[string]*Catalog{"default": Default(), "generated": generated, "shared": shared} {
		sold := indexCatalog(t, original)
		again, err := Parse(name, asJSON(t, sold.Catalog()))
		must(t, err)
		next, err := sold.Replace(again, later)
		if err != nil || next != sold {
			t.Errorf("%s: want nothing to have changed, got another catalog, %v", name, err)
		}
		if got := string(indexCatalog(t, again).Listing(Filter{})); got != string(sold.Listing(Filter{})) {
			t.Errorf("%s: want the same products", name)
		}
	}
}

func TestOtherSharesChangeNoProduct(t *testing.T) {
	t.Parallel()
	sold := indexCatalog(t, Default())
	changed := sold.Catalog()
	changed.Shares = []SharedSeats{{Name: "boat", Options: []string{"st-johns-whales"}, Over: OverDay, Seats: 9}}
	next, err := sold.Replace(changed, later)
	if err != nil || len(next.PoolsOf("st-johns-whales", "zodiac")) != 1 || next.Products[7] != sold.Products[7] || len(sold.Pools) != 0 {
		t.Errorf("want the same products with shared seats, got %v", err)
	}
}

func TestOnlyWhatChangesIsUpdatedNow(t *testing.T) {
	t.Parallel()
	sold := indexCatalog(t, Default())
	changed := sold.Catalog()
	changed.Products[2].InternalName = "Another name"
	changed.Products[2].UpdatedAt = "2001-01-01T00:00:00Z"
	next, err := sold.Replace(changed, later)
	must(t, err)
	for i, product := range next.Products {
		if (product == sold.Products[i]) != (i != 2) {
			t.Errorf("product %s: want it unchanged except for the third", product.ID)
		}
	}
	if got := next.Products[2]; got.UpdatedAt != "2027-03-01T12:00:00+00:00" || !got.Modified.Equal(later) {
		t.Errorf("want it updated now, got %s", got.UpdatedAt)
	}
	since := Filter{UpdatedSince: later.Add(-time.Millisecond)}
	var kept []string
	for _, product := range next.Select(since) {
		if !product.Modified.IsZero() {
			kept = append(kept, product.ID)
		}
	}
	if len(kept) != 1 || kept[0] != next.Products[2].ID {
		t.Errorf("want updated_since to find the one that changed, within the second too, got %v", kept)
	}
	if again, _ := next.Product(sold.Products[2].ID); again != next.Products[2] {
		t.Error("want the changed product to be found by its id")
	}
}

func TestAProductIsAddedReplacedAndTakenAway(t *testing.T) {
	t.Parallel()
	sold := indexCatalog(t, Default())
	product := sold.Products[0].Form()
	product.ID = "a-new-one"
	more, err := sold.With(product, later)
	if err != nil || len(more.Products) != len(sold.Products)+1 || more.Products[len(sold.Products)].ID != "a-new-one" {
		t.Fatalf("want it at the end, got %v", err)
	}
	product.InternalName = "Renamed"
	renamed, err := more.With(product, later)
	if err != nil || len(renamed.Products) != len(more.Products) {
		t.Fatalf("want it replaced, got %v", err)
	}
	if got, _ := renamed.Product("a-new-one"); got.InternalName != "Renamed" || !strings.Contains(string(renamed.Listing(Filter{})), "Renamed") {
		t.Errorf("want it renamed, got %s", got.InternalName)
	}
	if same, err := renamed.With(product, later.Add(time.Hour)); err != nil || same != renamed {
		t.Errorf("want nothing to change when the same catalog is sold, got %v", err)
	}
	fewer, err := renamed.WithoutProduct("a-new-one")
	if err != nil || string(fewer.Listing(Filter{})) != string(sold.Listing(Filter{})) {
		t.Errorf("want the catalog of the beginning, got %v", err)
	}
	if _, err := fewer.WithoutProduct("a-new-one"); !errors.Is(err, ErrNoProduct) {
		t.Errorf("want ErrNoProduct, got %v", err)
	}
	for len(fewer.Products) > 1 {
		if fewer, err = fewer.WithoutProduct(fewer.Products[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fewer.WithoutProduct(fewer.Products[0].ID); !errors.Is(err, ErrLastProduct) {
		t.Errorf("want ErrLastProduct, got %v", err)
	}
}

func TestAProblemInAProductIsReportedByLineAndColumn(t *testing.T) {
	t.Parallel()
	sold := indexCatalog(t, Default())
	text := string(asJSON(t, sold.Products[0].Form()))
	for name, test := range map[string]struct{ text, want string }{
		"an unknown zone":     {strings.Replace(text, "Europe/Lisbon", "Europe/Nowhere", 1), "body:1:"},
		"no options":          {"id: x\ninternalName: X\nlocale: pt-PT\ntimeZone: Europe/Lisbon\ninstantConfirmation: true\noptions: []\nschedules: {}\n", "body:6:"},
		"an unknown key":      {"id: x\nnome: y\n", "body:2:1:"},
		"an invalid duration": {"id: x\nschedules:\n  a:\n    duration: long\n", "body:4:15: duration"},
		"nothing":             {"", "body: expected a product"},
	} {
		if _, err := ParseProduct("body", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: want %q, got %v", name, test.want, err)
		}
	}
	if _, err := sold.With(Product{}, later); err == nil || strings.Contains(err.Error(), "product.") {
		t.Errorf("want an empty product refused, with paths that begin in it, got %v", err)
	}
}
