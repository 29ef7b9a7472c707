package fields

import "strings"

// pairNames are the two names of each object in a list that is written as pairs.
var pairNames = map[string][2]string{
	"itinerary":  {"title", "description"},
	"tourGuides": {"tour_guide_id", "name"},
}

const bar = " | "

// pairLines writes a list of objects with two texts as lines. It reports false for a list that
// cannot be read back from them.
func pairLines(names [2]string, list []any) (string, bool) {
	var lines []string
	for _, one := range list {
		object, _ := one.(map[string]any)
		first, _ := object[names[0]].(string)
		second, _ := object[names[1]].(string)
		known := 0
		for _, name := range names {
			if _, has := object[name]; has {
				known++
			}
		}
		if len(object) != known || strings.ContainsAny(first+second, "\r\n|") || strings.TrimSpace(first) != first || strings.TrimSpace(second) != second || first == "" || strings.HasPrefix(first, "[") {
			return "", false
		}
		if second != "" {
			first += bar + second
		}
		lines = append(lines, first)
	}
	return strings.Join(lines, "\n"), true
}

// pairsOf parses lines of pairs.
func pairsOf(names [2]string, text string) []any {
	list := []any{}
	for line := range strings.SplitSeq(text, "\n") {
		first, second, _ := strings.Cut(line, "|")
		if first, second = strings.TrimSpace(first), strings.TrimSpace(second); first == "" && second == "" {
			continue
		}
		object := map[string]any{names[0]: first}
		if second != "" {
			object[names[1]] = second
		}
		list = append(list, object)
	}
	return list
}
