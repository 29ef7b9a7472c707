package discover_test

import (
	"fmt"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/discover"
)

// limitedOption reads the only option of a product whose restrictions are this JSON.
func limitedOption(t *testing.T, restrictions string) discover.Option {
	t.Helper()
	value, err := discover.Decode([]byte(fmt.Sprintf(`{"id": "p", "options": [{"id": "o", "restrictions": %s, "units": [{"id": "unit-adult", "type": "ADULT"}]}]}`, restrictions)))
	if err != nil {
		t.Fatal(err)
	}
	return discover.ReadProduct(value).Options[0]
}

func TestTheLimitsOfAPartyAreReadWhereAPartyCanKeepThem(t *testing.T) {
	t.Parallel()
	for restrictions, want := range map[string]discover.Limits{
		`null`:                              {},
		`{}`:                                {},
		`{"minUnits": 2, "maxUnits": 9.0}`:  {Min: 2, Max: 9},
		`{"minUnits": 0, "maxUnits": null}`: {},
		`{"maxUnits": 6, "maxPax": "many"}`: {Max: 6},
		`{"minUnits": "2", "maxUnits": 9}`:  {Max: 9, Flaw: `minUnits: expected a number of guests, or null, received "2"`},
		`{"minUnits": 2, "maxUnits": -1}`:   {Min: 2, Flaw: "maxUnits: expected a number of guests, or null, received -1"},
		`{"minUnits": 1.5}`:                 {Flaw: "minUnits: expected a number of guests, or null, received 1.5"},
		`{"minUnits": 9, "maxUnits": 2}`:    {Flaw: "expected minUnits at most maxUnits, 2, received 9"},
		`[2, 9]`:                            {Flaw: "expected an object, received [2,9]"},
	} {
		if got := limitedOption(t, restrictions).Limits; got != want {
			t.Errorf("%s: want %+v, got %+v", restrictions, want, got)
		}
	}
	if flaw := limitedOption(t, `"`+strings.Repeat("x", 10_000)+`"`).Limits.Flaw; len(flaw) > 200 {
		t.Errorf("want a short flaw, got %d bytes", len(flaw))
	}
}

func TestAPartyFitsTheLimitsThatAreKnown(t *testing.T) {
	t.Parallel()
	for restrictions, want := range map[string][3]int64{ // of 1, 3 and 9 guests
		`{}`:                             {1, 3, 9},
		`{"minUnits": 2}`:                {2, 3, 9},
		`{"maxUnits": 2}`:                {1, 2, 2},
		`{"minUnits": 4, "maxUnits": 4}`: {4, 4, 4},
	} {
		option := limitedOption(t, restrictions)
		if got := [3]int64{option.Fit(1), option.Fit(3), option.Fit(9)}; got != want {
			t.Errorf("%s: want %v, got %v", restrictions, want, got)
		}
	}
}
