package fields

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A list that lines cannot hold is shown as JSON, so that saving it loses nothing.
func TestPairsAreLinesOnlyWhereLinesHoldEverything(t *testing.T) {
	t.Parallel()
	names := pairNames["itinerary"]
	for _, c := range []struct{ list, lines string }{
		{`[]`, ""},
		{`[{"title":"Market","description":"Cheese"},{"title":"Harbour"}]`, "Market | Cheese\nHarbour"},
		{`[{"title":"Market","minutes":20}]`, "-"},
		{`[{"title":"A|B","description":"x"}]`, "-"},
		{`[{"title":"A","description":"two\nlines"}]`, "-"},
		{`[{"title":"[1] A","description":"x"}]`, "-"},
		{`[{"description":"x"}]`, "-"},
		{`["text"]`, "-"},
		{`[{"title":7}]`, "-"},
	} {
		var list []any
		if err := json.Unmarshal([]byte(c.list), &list); err != nil {
			t.Fatal(err)
		}
		lines, ok := pairLines(names, list)
		if ok != (c.lines != "-") || ok && lines != c.lines {
			t.Errorf("%s: want %q, got %q %t", c.list, c.lines, lines, ok)
		}
		if got := pairsOf(names, lines); ok && !reflect.DeepEqual(got, list) {
			t.Errorf("%s: want the same list back, got %v", c.list, got)
		}
	}
}
