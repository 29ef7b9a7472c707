package fault

import (
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/yamlfile"
)

// When says whether a fault applies before or after the request takes effect.
type When string

const (
	Before When = "before" // the answer is replaced, and the request has no effect
	After  When = "after"  // the request takes effect, and its answer is late or lost
)

// Whens lists the values of When.
func Whens() []When { return []When{Before, After} }

// Answered is a status of the partner's own answers, such as 200, or a class of statuses, such as
// 2xx.
type Answered string

var answeredForm = regexp.MustCompile(`^[1-5](xx|[0-9][0-9])$`)

// UnmarshalYAML reads a status or a class of statuses.
func (a *Answered) UnmarshalYAML(node ast.Node) error {
	text := node.GetToken().Value
	if _, isScalar := node.(ast.ScalarNode); !isScalar || !answeredForm.MatchString(text) {
		return yamlfile.ErrorAt(node, "expected a status such as 200, or a class such as 2xx, received %q", text)
	}
	*a = Answered(text)
	return nil
}

// fits reports whether the answer has a status that matches. An empty Answered matches any answer,
// and none.
func (a Answered) fits(answer *response) bool {
	if a == "" || answer == nil {
		return a == ""
	}
	text := strconv.Itoa(answer.status)
	return string(a) == text || a[1:] == "xx" && a[0] == text[0]
}
