package fault

import (
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/yamlfile"
)

// Answered is a status of the partner's own answers, such as 200, or a class of
// them, such as 2xx.
type Answered string

var answeredForm = regexp.MustCompile(`^[1-5](xx|[0-9][0-9])$`)

// UnmarshalYAML reads a status or a class of them.
func (a *Answered) UnmarshalYAML(node ast.Node) error {
	text := node.GetToken().Value
	if _, isScalar := node.(ast.ScalarNode); !isScalar || !answeredForm.MatchString(text) {
		return yamlfile.At(node, "want a status such as 200, or a class such as 2xx, got %q", text)
	}
	*a = Answered(text)
	return nil
}

// fits reports whether the status is the wanted one; an empty one is any.
func (a Answered) fits(status int) bool {
	text := strconv.Itoa(status)
	return a == "" || string(a) == text || a[1:] == "xx" && a[0] == text[0]
}

// When says on which side of a request's effect a fault lies.
type When string

// The two sides.
const (
	Before When = "before" // a replaced answer: the request has no effect
	After  When = "after"  // the effect is there, its answer is late or lost
)

// Whens lists the sides.
func Whens() []When { return []When{Before, After} }
