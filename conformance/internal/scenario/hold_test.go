package scenario

import "testing"

func TestSeatsAreTakenByPartiesThatTheOptionDeclaresNoneMuchSmaller(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ seats, most, want int64 }{
		{7, 0, 7}, {7, 9, 7}, {7, 7, 7}, {7, 3, 3}, {4, 3, 2}, {2, 3, 2}, {10, 6, 5}, {1, 1, 1}, {5, 1, 1},
	} {
		if got := evenly(c.seats, c.most); got != c.want {
			t.Errorf("%d seats by parties of at most %d: want a party of %d first, got %d", c.seats, c.most, c.want, got)
		}
	}
}
