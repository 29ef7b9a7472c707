package plan

import (
	"slices"
	"testing"

	"partnerkit.dev/conformance/internal/discover"
)

func TestASampleIsSpreadAndBeginsWithTheLast(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, test := range []struct {
		of   []int
		n    int
		want []int
	}{
		{all, 1, []int{9}}, {all, 2, []int{9, 0}}, {all, 5, []int{9, 0, 2, 4, 6}},
		{all, 10, []int{9, 0, 1, 2, 3, 4, 5, 6, 7, 8}}, {all, 100, []int{9, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{all, 0, nil}, {all, -1, nil}, {nil, 3, nil}, {[]int{7}, 3, []int{7}},
	} {
		if got := Spread(test.of, test.n); !slices.Equal(got, test.want) {
			t.Errorf("%d of %v: want %v, got %v", test.n, test.of, test.want, got)
		}
	}
}

func TestCandidatesAreOfAsManyOptionsAsPossible(t *testing.T) {
	t.Parallel()
	var candidates []discover.Offer
	for _, option := range []string{"a", "a", "a", "b", "b", "c"} {
		candidates = append(candidates, discover.Offer{Option: discover.Option{ID: option}})
	}
	for n, want := range map[int]string{0: "", 3: "aaa", 4: "abaa", 6: "abcaa"} {
		got := ""
		for _, offer := range Candidates(candidates[:n]) {
			got += offer.Option.ID
		}
		if got != want {
			t.Errorf("of %d offers: want those of the options %s, got %s", n, want, got)
		}
	}
}
