package domain_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
)

// july is a midnight of July 2026 in UTC.
func july(day int) time.Time { return time.Date(2026, 7, day, 0, 0, 0, 0, time.UTC) }

func rateTable() domain.RateTable {
	dated := func(rate string, of time.Time) domain.DatedRate {
		return domain.DatedRate{Rate: decimal.RequireFromString(rate), Of: of}
	}
	return domain.RateTable{Base: "EUR", Of: july(10), MaxAge: 7 * 24 * time.Hour, Per: map[domain.Currency]domain.DatedRate{
		"USD": dated("1.2", july(10)), "JPY": dated("160", july(6)), "ISK": dated("150", july(4)), "KWD": dated("0.3", july(12)),
	}}
}

func ratesFile(of time.Time, rates map[domain.Currency]string) domain.RatesFile {
	file := domain.RatesFile{Date: of, Rates: domain.Rates{Base: "EUR", Per: map[domain.Currency]decimal.Decimal{}}, Lines: map[domain.Currency]int{"USD": 9}}
	for currency, rate := range rates {
		file.Rates.Per[currency] = decimal.RequireFromString(rate)
	}
	return file
}

func TestACurrencyThatTheNewestFileLacksIsSoldInUntilItsRateIsTooOld(t *testing.T) {
	t.Parallel()
	table := rateTable()
	for _, one := range []struct {
		now, until time.Time
		sold       []domain.Currency
	}{
		{july(10), july(11), []domain.Currency{"ISK", "JPY", "KWD", "USD"}},
		{july(11), july(11), []domain.Currency{"ISK", "JPY", "KWD", "USD"}},
		{july(11).Add(time.Second), july(13), []domain.Currency{"JPY", "KWD", "USD"}},
		{july(31), time.Time{}, []domain.Currency{"KWD", "USD"}}, // the table is old, but no file lacks them
	} {
		rates, until := table.At(one.now)
		var sold []domain.Currency
		for currency := range rates.Per {
			sold = append(sold, currency)
		}
		if slices.Sort(sold); !slices.Equal(sold, one.sold) || !until.Equal(one.until) {
			t.Errorf("At %s, expected %v until %s, received %v until %s", one.now, one.sold, one.until, sold, until)
		}
	}
	if kept := table.Kept(); len(kept) != 2 || kept[0].String() != "ISK keeps its rate of 2026-07-04 until 2026-07-11" || kept[1].String() != "JPY keeps its rate of 2026-07-06 until 2026-07-13" {
		t.Errorf("Expected the crown and the yen named, received %v", kept)
	}
}

func TestAFileOfRatesThatIsLikelyToBeWrongIsRefusedUnlessItIsForced(t *testing.T) {
	t.Parallel()
	now := july(12).Add(9 * time.Hour)
	for name, one := range map[string]struct {
		file   domain.RatesFile
		doubts []string
	}{
		"a newer file":           {ratesFile(july(12), map[domain.Currency]string{"USD": "2.4", "JPY": "80", "NOK": "11"}), nil},
		"the same file":          {ratesFile(july(10), map[domain.Currency]string{"USD": "1.2"}), nil},
		"an older file":          {ratesFile(july(9), map[domain.Currency]string{"USD": "1.2"}), []string{"date: 2026-07-09 is before 2026-07-10, the date of the table in force"}},
		"a file of tomorrow":     {ratesFile(july(13), map[domain.Currency]string{"USD": "1.2"}), []string{"date: 2026-07-13 is in the future"}},
		"more than twice":        {ratesFile(july(12), map[domain.Currency]string{"USD": "2.41", "JPY": "171"}), []string{"rates.USD (line 9): 2.41 is more than twice the rate in force, 1.2"}},
		"less than half":         {ratesFile(july(12), map[domain.Currency]string{"USD": "1.1", "JPY": "1.6"}), []string{"rates.JPY: 1.6 is less than half of the rate in force, 160"}},
		"too much of an old one": {ratesFile(july(12), map[domain.Currency]string{"ISK": "15"}), []string{"rates.ISK: 15 is less than half of the rate in force, 150"}},
	} {
		change, err := rateTable().Import(one.file, now, false)
		refused := (*domain.Error)(nil)
		if errors.As(err, &refused) != (one.doubts != nil) || refused != nil && (refused.Code != domain.Conflict || !slices.Equal(refused.Details, one.doubts)) {
			t.Errorf("%s: expected %q, received %+v", name, one.doubts, err)
		}
		if one.doubts != nil && len(change.Rates) > 0 {
			t.Errorf("%s: expected no change, received %v", name, change)
		}
		if change, err = rateTable().Import(one.file, now, true); err != nil || len(change.Rates) != len(one.file.Rates.Per) || !change.Of.Equal(one.file.Date) {
			t.Errorf("%s: expected it imported by force, received %v, %v", name, change, err)
		}
	}
	doubtful := ratesFile(july(12), map[domain.Currency]string{"USD": "1.2"})
	doubtful.Doubts = []string{"rates.USD (line 9): already in line 3"}
	if _, err := rateTable().Import(doubtful, now, false); err == nil {
		t.Error("Expected a file with a doubt refused")
	}
}

// A table of another base is compared by the same pair of currencies.
func TestRatesOfAnotherBaseAreComparedWithThoseInForce(t *testing.T) {
	t.Parallel()
	table := domain.RateTable{Base: "USD", Per: map[domain.Currency]domain.DatedRate{"EUR": {Rate: decimal.RequireFromString("0.8")}, "JPY": {Rate: decimal.RequireFromString("128")}}}
	_, err := table.Import(ratesFile(july(12), map[domain.Currency]string{"USD": "1.3", "JPY": "321"}), july(12), false)
	refused := (*domain.Error)(nil)
	if !errors.As(err, &refused) || !slices.Equal(refused.Details, []string{"rates.JPY: 321 is more than twice the rate in force, 160"}) {
		t.Errorf("Expected only the yen refused, received %+v", err)
	}
}
