package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // slots are the same on every machine, whatever zones it has

	"partnerkit.dev/schemas/partnerapi"
)

// parseTimeOfDay reads "HH:MM" as minutes after midnight.
func parseTimeOfDay(s string) (int, error) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return 0, fmt.Errorf("want a time of day such as \"09:30\", in quotes, got %q", s)
	}
	return t.Hour()*60 + t.Minute(), nil
}

func parseStarts(starts []string) ([]int, error) {
	minutes := make([]int, 0, len(starts))
	for _, start := range starts {
		minute, err := parseTimeOfDay(start)
		if err != nil {
			return nil, err
		}
		if slices.Contains(minutes, minute) {
			return nil, fmt.Errorf("%s stands twice: slots are told apart by their start", start)
		}
		minutes = append(minutes, minute)
	}
	slices.Sort(minutes)
	return minutes, nil
}

func parseWeekday(name string) (time.Weekday, error) {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(name, day.String()) {
			return day, nil
		}
	}
	return 0, fmt.Errorf("want a weekday such as Monday, got %q", name)
}

func (s Schedule) seatsOf(unit partnerapi.Unit) int {
	if seats, ok := s.Seats[unit.ID]; ok {
		return seats
	}
	if unit.Type == partnerapi.Infant {
		return 0
	}
	return 1
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
