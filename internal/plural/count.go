// Package plural formats numbers for people.
package plural

import "strconv"

// Count returns a number with its noun: "1 rule", "2 rules", "1,200 rules". The plural is the noun
// with an s, unless another plural is given.
func Count(n int, noun string, plural ...string) string {
	if n != 1 {
		noun += "s"
		if len(plural) > 0 {
			noun = plural[0]
		}
	}
	return Thousands(n) + " " + noun
}

// Thousands formats a number with a comma between each three digits.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
