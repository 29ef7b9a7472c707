package script

import (
	"fmt"
	"slices"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// named gives things of a kind that have no name one that is free: kind-1, kind-2, ….
// A name that is taken already, or given twice, is the error taken.
func named[T any](kind string, taken error, used map[string]bool, list []T, name func(*T) *string) ([]T, error) {
	list = slices.Clone(list)
	for i := range list {
		given := *name(&list[i])
		if given != "" && used[given] {
			return nil, invalid.Item("", i, &invalid.Error{Path: "name", Message: fmt.Sprintf("%v: %s", taken, given), Kind: taken})
		}
		used[given] = true
	}
	for i := range list {
		for n := 1; *name(&list[i]) == ""; n++ {
			if free := fmt.Sprintf("%s-%d", kind, n); !used[free] {
				*name(&list[i]), used[free] = free, true
			}
		}
	}
	return list, nil
}

func names[T any](list []T, name func(T) string) map[string]bool {
	used := map[string]bool{}
	for _, one := range list {
		used[name(one)] = true
	}
	return used
}
