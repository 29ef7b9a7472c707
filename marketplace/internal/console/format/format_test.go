package format_test

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/console/format"
)

func TestMoneyIsWrittenAsItsReaderWritesNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, amount, currency, want string }{
		{"", "1080", "EUR", "1,080.00 EUR"},
		{"en-GB,en;q=0.9", "20.5", "USD", "20.50 USD"},
		{"de-DE,de;q=0.9,en;q=0.5", "1234567.89", "EUR", "1.234.567,89 EUR"},
		{"pt-PT", "20.5", "EUR", "20,50 EUR"},
		{"ja", "17194", "JPY", "17,194 JPY"},
		{"en", "12.345", "KWD", "12.345 KWD"},
		{"en", "0.125", "EUR", "0.125 EUR"},
		{"ar-EG", "12.5", "EGP", "12.50 EGP"},
		{"*", "1", "EUR", "1.00 EUR"},
		{"not a language;;;", "1", "EUR", "1.00 EUR"},
		{strings.Repeat("de,", 10_000), "1.5", "EUR", "1,50 EUR"},
		{"en", "12345678901234567.89", "EUR", "12345678901234567.89 EUR"},
		{"en", "-3.5", "EUR", "-3.50 EUR"},
		{"en", "7", "", "7.00"},
		{"en", "", "EUR", "EUR"},
	} {
		if got := format.NewReader(c.language).Money(c.amount, c.currency); got != c.want {
			t.Errorf("%s %s in %.20q: want %q, got %q", c.amount, c.currency, c.language, c.want, got)
		}
	}
}

func TestASlotIsInItsProductsZone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 10, 22, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		zone       string
		lasts      time.Duration
		day, hours string
		shown      string
	}{
		{"Europe/Lisbon", 2 * time.Hour, "Fri 10 Jul 2026", "23:30–01:30 (11 Jul)", "Europe/Lisbon"},
		{"Asia/Tokyo", 2 * time.Hour, "Sat 11 Jul 2026", "07:30–09:30", "Asia/Tokyo"},
		{"Asia/Tokyo", 0, "Sat 11 Jul 2026", "07:30", "Asia/Tokyo"},
		{"Mars/Olympus", time.Hour, "Fri 10 Jul 2026", "22:30–23:30", "UTC+00:00"},
		{"", time.Hour, "Fri 10 Jul 2026", "22:30–23:30", "UTC+00:00"},
	} {
		if got := format.FormatSlot(c.zone, at, at.Add(c.lasts)); got.Day != c.day || got.Hour != c.hours || got.Zone != c.shown {
			t.Errorf("%q: want %s %s %s, got %+v", c.zone, c.day, c.hours, c.shown, got)
		}
	}
}

func TestAgesAndShares(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{-time.Hour: "just now", 90 * time.Second: "1 min ago", 47 * time.Hour: "47 h ago", 49 * time.Hour: "2 d ago"} {
		if got := format.Age(d); got != want {
			t.Errorf("%s: want %q, got %q", d, want, got)
		}
	}
	r := format.NewReader("de")
	for _, c := range []struct {
		part, whole int
		want        string
	}{{0, 5, "0 %"}, {1, 300, "0,3 %"}, {1, 2, "50 %"}, {0, 0, ""}} {
		if got := r.Percent(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: want %q, got %q", c.part, c.whole, c.want, got)
		}
	}
}
