package storefront_test

import (
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/internal/storefront"
)

func TestTheSnapshotIsAWholeTable(t *testing.T) {
	t.Parallel()
	daily, err := storefront.SampleRates()
	must(t, err)
	if got := daily.Rates.Per["JPY"]; daily.Date.Year() != 2024 || len(daily.Rates.Per) != 30 || got.String() != "171.94" {
		t.Errorf("want 30 rates of 2024, 171.94 yen, got %d of %d, %s yen", len(daily.Rates.Per), daily.Date.Year(), got)
	}
}

func TestAnInvalidRatesFileIsRefused(t *testing.T) {
	t.Parallel()
	table := func(day string) string { return "<Envelope><Cube>" + day + "</Cube></Envelope>" }
	for name, text := range map[string]string{
		"nothing":        "",
		"no XML":         "currency,rate",
		"no day":         table(""),
		"no rates":       table(`<Cube time="2024-06-28"></Cube>`),
		"two days":       table(`<Cube time="2024-06-28"><Cube currency="USD" rate="1"/></Cube><Cube time="2024-06-27"><Cube currency="USD" rate="1"/></Cube>`),
		"no date":        table(`<Cube time="yesterday"><Cube currency="USD" rate="1"/></Cube>`),
		"no currency":    table(`<Cube time="2024-06-28"><Cube currency="DOLLAR" rate="1"/></Cube>`),
		"no number":      table(`<Cube time="2024-06-28"><Cube currency="USD" rate="N/A"/></Cube>`),
		"only the base":  table(`<Cube time="2024-06-28"><Cube currency="EUR" rate="1"/></Cube>`),
		"nothing for it": table(`<Cube time="2024-06-28"><Cube currency="USD" rate="0"/></Cube>`),
		"much too long":  table(`<Cube time="2024-06-28"><Cube currency="USD" rate="1e999999999"/></Cube>`),
		"a flood":        strings.Repeat(" ", 2<<20),
	} {
		if _, err := storefront.ReadRates(strings.NewReader(text)); err == nil {
			t.Errorf("%s: want it refused", name)
		}
	}
}

func TestAMistakeInARatesFileIsNamedWithItsLine(t *testing.T) {
	t.Parallel()
	table := func(rates ...string) string {
		return "<Envelope><Cube><Cube time=\"2024-06-28\">\n<Cube currency=\"USD\" rate=\"1.07\"/>\n" + strings.Join(rates, "\n") + "</Cube></Cube></Envelope>"
	}
	_, err := storefront.ReadRates(strings.NewReader(table(`<Cube currency="JPY" rate="-1"/>`)))
	if err == nil || !strings.Contains(err.Error(), "line 3: rates.JPY: expected a decimal above 0") {
		t.Errorf("Expected the line and the currency, received %v", err)
	}
	file, err := storefront.ReadRates(strings.NewReader(table(`<Cube currency="EUR" rate="1"/>`, `<Cube currency="USD" rate="1.08"/>`)))
	must(t, err)
	if want := []string{"rates.EUR (line 3): is the base currency", "rates.USD (line 4): already in line 2"}; !slices.Equal(file.Doubts, want) {
		t.Errorf("Expected %q, received %q", want, file.Doubts)
	}
	if dollars, base := file.Rates.Per["USD"], file.Rates.Per["EUR"]; dollars.String() != "1.08" || !base.IsZero() {
		t.Errorf("Expected the last rate of the dollar and none of the base, received %s and %s", dollars, base)
	}
}

func FuzzReadRates(f *testing.F) {
	f.Add(`<Envelope><Cube><Cube time="2024-06-28"><Cube currency="USD" rate="1.07"/></Cube></Cube></Envelope>`)
	f.Fuzz(func(t *testing.T, text string) {
		daily, err := storefront.ReadRates(strings.NewReader(text))
		if err != nil {
			return
		}
		for currency, rate := range daily.Rates.Per {
			if len(currency) != 3 || rate.Sign() <= 0 {
				t.Errorf("want a currency and a rate, got %s %s", currency, rate)
			}
		}
	})
}
