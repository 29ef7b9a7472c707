package main_test

import (
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
)

// What a run may cost a partner's platform at most, at the mock.
func TestARunStaysWithinItsFootprint(t *testing.T) {
	t.Parallel()
	type footprint struct{ calls, holds, bookings int }
	quick, standard := footprint{300, 30, 8}, footprint{3000, 300, 60}
	for _, test := range []struct {
		depth, defect string
		most          footprint
	}{
		{"quick", "", quick},
		{"quick", "release-does-nothing", quick},
		{"quick", "hold-takes-a-seat-too-many", quick},
		{"quick", "hold-without-expiry", quick},
		{"quick", "hold-takes-seats-of-the-next-slot", quick},
		{"quick", "release-gives-seats-of-the-next-slot-back", quick},
		{"quick", "window-without-its-end", quick},
		{"standard", "", standard},
	} {
		t.Run(test.depth+" "+test.defect, func(t *testing.T) {
			t.Parallel()
			options := mockpartner.Options{Catalog: catalog.Default()}
			if test.defect != "" {
				options.Defects = []string{test.defect}
			}
			_, address := startMock(t, options)
			r := judge(t, address, ofMock(address, "--depth", test.depth)...)
			if got := r.result.Coverage; got.Calls == 0 || got.Calls > test.most.calls || got.Holds > test.most.holds || got.Bookings > test.most.bookings {
				t.Errorf("Expected at most %+v, received %d calls, %d holds and %d bookings", test.most, got.Calls, got.Holds, got.Bookings)
			}
		})
	}
}
