package suggest_test

import (
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/internal/suggest"
)

func TestAMistypedNameLeadsToTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	names := []string{"reserve.vacancies.one", "reserve.vacancies.many", "release.vacancies.one", "confirm.limit", "products.status"}
	for given, want := range map[string]string{
		"reserve.vacancies.on":  "reserve.vacancies.one",
		"reserv.vacancies.many": "reserve.vacancies.many",
		"Confirm.Limit":         "confirm.limit",
		"product.status":        "products.status",
	} {
		if near := suggest.Names(given, names); len(near) == 0 || near[0] != want {
			t.Errorf("want %q to lead to %s, got %v", given, want, near)
		}
		if near := suggest.Names(given, names); len(near) > 3 || !slices.Contains(near, want) {
			t.Errorf("want at most three names for %q, got %v", given, near)
		}
	}
}

func TestAnUnknownNameWithoutASimilarOneHasNoSuggestion(t *testing.T) {
	t.Parallel()
	for _, given := range []string{"", "zzz", strings.Repeat("x", 1<<20)} {
		if hint := suggest.Hint(given, []string{"reserve.vacancies.one"}); hint != "" {
			t.Errorf("want no hint for %.10q, got %q", given, hint)
		}
	}
}
