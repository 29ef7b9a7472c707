package worker

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

func TestAHostIsProbedForSoManyPartnersARoundAndForAllByTurns(t *testing.T) {
	t.Parallel()
	at := func(address string) domain.Integration {
		base, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return domain.Integration{ID: uuid.New(), BaseURL: base}
	}
	alone := at("https://alone.example")
	all := []domain.Integration{alone}
	for i := range 150 {
		all = append(all, at(fmt.Sprintf("https://many.example:%d/%d", 8000+i%2, i)))
	}
	times := map[uuid.UUID]int{}
	for round := range 3 {
		ids := toProbe(all, round)
		if len(ids) != 1+probesOfHost {
			t.Errorf("want %d probes, got %d", 1+probesOfHost, len(ids))
		}
		for _, id := range ids {
			times[id]++
		}
	}
	if len(times) != len(all) || times[alone.ID] != 3 {
		t.Errorf("want all %d probed by turns, and the other host each time, got %d, and %d times", len(all), len(times), times[alone.ID])
	}
}
