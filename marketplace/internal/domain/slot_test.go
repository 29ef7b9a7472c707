package domain_test

import (
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

func TestANotificationChangesOnlyTheFieldsThatItHas(t *testing.T) {
	t.Parallel()
	seats := func(n int) *int { return &n }
	start := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	before := domain.Slot{ID: "s", Start: start, End: start.Add(2 * time.Hour), Status: partnerapi.StatusAvailable, Vacancies: seats(8), Capacity: seats(10),
		UnitPricing: []partnerapi.UnitPricing{{UnitID: "unit-adult", Original: 2500, Currency: "EUR"}}}
	type want struct {
		vacancies, capacity, prices int
		length                      time.Duration
	}
	for name, c := range map[string]struct {
		news domain.SlotUpdate
		want want
	}{
		"a status alone":             {domain.SlotUpdate{}, want{8, 10, 1, 2 * time.Hour}},
		"vacancies are the capacity": {domain.SlotUpdate{Vacancies: seats(3)}, want{3, 3, 1, 2 * time.Hour}},
		"but beside one":             {domain.SlotUpdate{Vacancies: seats(3), Capacity: seats(9)}, want{3, 9, 1, 2 * time.Hour}},
		"a capacity alone":           {domain.SlotUpdate{Capacity: seats(9)}, want{8, 9, 1, 2 * time.Hour}},
		"no prices any more":         {domain.SlotUpdate{UnitPricing: []partnerapi.UnitPricing{}}, want{8, 10, 0, 2 * time.Hour}},
		"an end":                     {domain.SlotUpdate{End: start.Add(4 * time.Hour)}, want{8, 10, 1, 3 * time.Hour}},
	} {
		news := c.news
		news.ID, news.Status, news.Start, news.At = "s", partnerapi.StatusSoldOut, start.Add(time.Hour), start
		got := before.With(news, time.UTC)
		if (want{*got.Vacancies, *got.Capacity, len(got.UnitPricing), got.End.Sub(got.Start)}) != c.want {
			t.Errorf("%s: want %+v, got %+v", name, c.want, got)
		}
		if got.Status != partnerapi.StatusSoldOut || !got.Start.Equal(news.Start) || !got.SentAt.Equal(start) {
			t.Errorf("%s: want the news, got %+v", name, got)
		}
	}
	if *before.Vacancies != 8 || before.Status != partnerapi.StatusAvailable {
		t.Errorf("want the slot before left as it was, got %+v", before)
	}
}
