package catalog

import (
	"fmt"
	"strings"
	"unicode"

	"partnerkit.dev/schemas"
)

// SetAside is a product that cannot be sold as it is.
type SetAside struct {
	ProductID string    `json:"product_id"` // "" where it has none that can be read
	Problems  []Problem `json:"problems"`
}

// Problem is one mistake of a product, or of a slot.
type Problem struct {
	Pointer string `json:"pointer"` // RFC 6901, within the pull's body
	Message string `json:"message"`
}

// The bounds of what is kept of a pull's mistakes: it is a record for people.
const (
	mostSetAside     = 1000      // products that are listed with theirs
	mostProblems     = 10        // of one product
	mostSetAsideSize = 256 << 10 // of all their words, in bytes
	longestWords     = 300       // an id, a pointer or a message, in characters
)

// asideList lists products that are set aside, as far as the bounds let it.
type asideList struct {
	list []SetAside
	size int
	more int // that are not listed
}

func (a *asideList) add(id, at string, problems []schemas.Problem) {
	if a.more > 0 || len(a.list) == mostSetAside {
		a.more++
		return
	}
	aside := SetAside{ProductID: readable(id), Problems: said(at, problems)}
	size := len(id)
	for _, problem := range aside.Problems {
		size += len(problem.Pointer) + len(problem.Message)
	}
	if a.size += size; a.size > mostSetAsideSize {
		a.more++
		return
	}
	a.list = append(a.list, aside)
}

// entries returns the list. Where it is cut its last entry says so.
func (a *asideList) entries() []SetAside {
	if a.more > 0 {
		return append(a.list, SetAside{Problems: []Problem{{Message: fmt.Sprintf("%d more products are set aside", a.more)}}})
	}
	return a.list
}

// said are the first problems of what stands at a place of the body.
func said(at string, problems []schemas.Problem) (list []Problem) {
	for _, problem := range problems[:min(len(problems), mostProblems)] {
		list = append(list, Problem{Pointer: readable(problem.Under(at).Pointer), Message: readable(problem.Message)})
	}
	return list
}

// readable returns a stranger's text as people can read it and the database can keep
// it: without control characters, and cut where it is long.
func readable(text string) string {
	var short strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > longestWords {
			return short.String() + "…"
		}
		if unicode.IsControl(r) {
			r = unicode.ReplacementChar
		}
		short.WriteRune(r)
	}
	return short.String()
}
