package main_test

import (
	"testing"

	"partnerkit.dev/mockpartner"
)

// What a run may cost a partner's platform at most, at the mock.
func TestARunStaysWithinItsFootprint(t *testing.T) {
	t.Parallel()
	for depth, most := range map[string]struct{ calls, holds, bookings int }{
		"quick":    {300, 30, 8},
		"standard": {3000, 300, 60},
	} {
		t.Run(depth, func(t *testing.T) {
			t.Parallel()
			_, address := startMock(t, mockpartner.Options{})
			r := judge(t, address, ofMock(address, "--depth", depth)...)
			if got := r.result.Coverage; got.Calls == 0 || got.Calls > most.calls || got.Holds > most.holds || got.Bookings > most.bookings {
				t.Errorf("Expected at most %+v, received %d calls, %d holds and %d bookings", most, got.Calls, got.Holds, got.Bookings)
			}
		})
	}
}
