package partnerapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

func TestEveryEndpointHasItsLimit(t *testing.T) {
	t.Parallel()
	want := map[partnerapi.Endpoint][2]time.Duration{ // healthy, degraded
		partnerapi.Products:     {15 * time.Second, 15 * time.Second},
		partnerapi.Availability: {20 * time.Second, 20 * time.Second},
		partnerapi.Reserve:      {5 * time.Second, 10 * time.Second},
		partnerapi.Confirm:      {5 * time.Second, 10 * time.Second},
		partnerapi.Release:      {10 * time.Second, 10 * time.Second},
		partnerapi.Cancel:       {10 * time.Second, 10 * time.Second},
	}
	if len(partnerapi.Endpoints()) != len(want) {
		t.Errorf("want %d endpoints, got %v", len(want), partnerapi.Endpoints())
	}
	for _, endpoint := range partnerapi.Endpoints() {
		got := [2]time.Duration{endpoint.Timeout(partnerapi.Healthy), endpoint.Timeout(partnerapi.Degraded)}
		if got != want[endpoint] {
			t.Errorf("%s: want %v, got %v", endpoint, want[endpoint], got)
		}
	}
}

func TestOnlyStudentsChooseTheirUnitID(t *testing.T) {
	t.Parallel()
	want := map[partnerapi.UnitType]string{
		partnerapi.Adult: partnerapi.AdultUnitID, partnerapi.Child: "unit-child", partnerapi.Infant: "unit-infant",
		partnerapi.Senior: "unit-senior", partnerapi.Student: "",
	}
	for _, unitType := range partnerapi.UnitTypes() {
		if id, fixed := unitType.FixedUnitID(); id != want[unitType] || fixed != (want[unitType] != "") {
			t.Errorf("%s: want %q, got %q, fixed %t", unitType, want[unitType], id, fixed)
		}
	}
}

func TestSoldOutAndClosedSlotsCannotBeBooked(t *testing.T) {
	t.Parallel()
	for _, status := range partnerapi.SlotStatuses() {
		want := status != partnerapi.StatusSoldOut && status != partnerapi.StatusClosed
		if status.IsBookable() != want {
			t.Errorf("%s: want bookable %t", status, want)
		}
	}
	if partnerapi.SlotStatus("OPEN").IsBookable() {
		t.Error("an unknown status is bookable")
	}
}

func TestAuthTypesPresentTheKeyInTheirOwnWay(t *testing.T) {
	t.Parallel()
	for authType, want := range map[partnerapi.AuthType]string{
		partnerapi.Bearer: "Bearer k", partnerapi.APIKey: "k", "": "Bearer k",
	} {
		if got := authType.Authorization("k"); got != want {
			t.Errorf("%q: want %q, got %q", authType, want, got)
		}
	}
}

func TestAUnitPriceIsReadFromItsAlternativesInOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]partnerapi.UnitPricing{
		`{"original": 1, "retail": 2, "price": 3}`:              {Original: 1},
		`{"price": 3, "retail": 2}`:                             {Original: 2},
		`{"price": 3}`:                                          {Original: 3},
		`{"original": null, "retail": null, "price": 3}`:        {Original: 3},
		`{"original": 0, "retail": 2}`:                          {Original: 0},
		`{"unitType": "CHILD", "type": "ADULT", "price": 1}`:    {UnitType: partnerapi.Child, Original: 1},
		`{"type": "ADULT", "price": 1}`:                         {UnitType: partnerapi.Adult, Original: 1},
		`{"unitType": null, "type": "SENIOR", "original": 1}`:   {UnitType: partnerapi.Senior, Original: 1},
		`{"unitId": "u", "currency": "EUR", "original": 99}`:    {UnitID: "u", Currency: "EUR", Original: 99},
		`{"unitId": "u", "currency": "EUR", "unknown": [true]}`: {UnitID: "u", Currency: "EUR"},
	} {
		var got partnerapi.UnitPricing
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: want %+v, got %+v %v", text, want, got, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"original": "1"}`), new(partnerapi.UnitPricing)); err == nil {
		t.Error("an amount that is a string is read")
	}
}

func TestAUnitPriceIsWrittenAsTheContractNamesIt(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(partnerapi.UnitPricing{UnitID: "u", UnitType: partnerapi.Adult, Original: 5, Currency: "EUR"})
	if want := `{"unitId":"u","unitType":"ADULT","original":5,"currency":"EUR"}`; err != nil || string(text) != want {
		t.Errorf("want %s, got %s %v", want, text, err)
	}
}

func TestCurrenciesHaveTheDecimalsOfISO4217(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{"EUR": 2, "JPY": 0, "ISK": 0, "KWD": 3, "IQD": 3, "CLF": 4, "???": 2} {
		if got := partnerapi.CurrencyDecimals(code); got != want {
			t.Errorf("%s: want %d decimals, got %d", code, want, got)
		}
	}
}
