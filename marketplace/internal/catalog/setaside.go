package catalog

import (
	"strings"
	"unicode"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/redact"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/schemas"
)

// SetAside is a product that is invalid and not sold.
type SetAside struct {
	ProductID string    `json:"product_id"` // "": no readable id
	Problems  []Problem `json:"problems"`
}

// Problem is a mistake in a product or slot.
type Problem struct {
	Pointer string `json:"pointer"` // RFC 6901, within the pull's body
	Message string `json:"message"`
}

// The limits of what is kept of a pull's mistakes, which are shown to people.
const (
	mostSetAside     = 1000      // products in the list
	mostProblems     = 10        // of one product
	mostSetAsideSize = 256 << 10 // of all texts, in bytes
	longestWords     = 300       // an id, a pointer or a message, in characters
)

// setAsideList is a bounded list of products that were set aside.
type setAsideList struct {
	list []SetAside
	size int
	more int // products that are not in the list
}

func (a *setAsideList) add(id, at string, problems []schemas.Problem) {
	if a.more > 0 || len(a.list) == mostSetAside {
		a.more++
		return
	}
	aside := SetAside{ProductID: readableText(id), Problems: firstProblems(at, problems)}
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

// entries returns the list. If it was cut, the last entry says so.
func (a *setAsideList) entries() []SetAside {
	if a.more > 0 {
		return append(a.list, SetAside{Problems: []Problem{{Message: plural.Count(a.more, "more product is set aside", "more products are set aside")}}})
	}
	return a.list
}

// withoutKey removes a partner's key from the catalog's problems. They are stored, and a platform
// may echo what it received.
func (c *Catalog) withoutKey(key string) {
	if len(c.SetAside) == 0 {
		return
	}
	r := redact.New(key)
	for i, aside := range c.SetAside {
		c.SetAside[i].ProductID = r.Redact(aside.ProductID)
		redactProblems(r, aside.Problems)
	}
}

// withoutKey does the same for slots.
func (a *SlotAnswer) withoutKey(key string) {
	if len(a.SetAside) == 0 {
		return
	}
	r := redact.New(key)
	for i, aside := range a.SetAside {
		a.SetAside[i].SlotID = r.Redact(aside.SlotID)
		redactProblems(r, aside.Problems)
	}
}

func redactProblems(r *redact.Redactor, problems []Problem) {
	for i, problem := range problems {
		problems[i] = Problem{Pointer: r.Redact(problem.Pointer), Message: r.Redact(problem.Message)}
	}
}

// firstProblems returns the first problems at a place in the body.
func firstProblems(at string, problems []schemas.Problem) (list []Problem) {
	for _, problem := range problems[:min(len(problems), mostProblems)] {
		list = append(list, Problem{Pointer: readableText(problem.WithPrefix(at).Pointer), Message: readableText(problem.Message)})
	}
	return list
}

// readableText returns a partner's text without control characters and cut to a length, for people and
// for the database.
func readableText(text string) string {
	var short strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > longestWords {
			return short.String() + "…"
		}
		if safetext.Rune(r) != r {
			r = unicode.ReplacementChar
		}
		short.WriteRune(r)
	}
	return short.String()
}

// storedForm is the version of the form in which products are stored. If it, or the contract's
// version, differs from that of the last pull, an equal body is read again.
const storedForm = "1"
