package console

import (
	"fmt"
	"slices"
	"time"
)

// span says how long something takes, to the second: 12:05, 3:00:00, 4 days 2 h.
func span(d time.Duration) string {
	d = max(d.Round(time.Second), 0)
	days, hours := int(d/(24*time.Hour)), int(d/time.Hour)%24
	minutes, seconds := int(d/time.Minute)%60, int(d/time.Second)%60
	switch {
	case days > 0:
		return fmt.Sprintf("%s %d h", plural(days, "day"), hours)
	case hours > 0:
		return fmt.Sprintf("%d:%02d:%02d", hours, minutes, seconds)
	default:
		return fmt.Sprintf("%d:%02d", minutes, seconds)
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// took says how long an answer took.
func took(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
}

// newest returns the last n of a list that are to be kept, the last first.
func newest[T any](all []T, n int, keep func(T) bool) []T {
	some := []T{}
	for _, one := range slices.Backward(all) {
		if len(some) == n {
			break
		}
		if keep(one) {
			some = append(some, one)
		}
	}
	return some
}

func every[T any](T) bool { return true }
