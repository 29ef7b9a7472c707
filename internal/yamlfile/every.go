package yamlfile

import (
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// maxProblems is the maximum number of problems that are reported for one text.
	maxProblems = 50
	// maxDecoded is the maximum size of text that is decoded for them, in bytes, because each
	// problem requires another decoding. For a larger text only the first problem is reported.
	maxDecoded = 1 << 20
)

// Mistakes are all problems that prevent a text from being decoded.
type Mistakes struct {
	List  []Problem
	Paths []string // of the invalid values, such as faults[2].status
	// Partial: the problems prevented the rest of the text from being decoded into the value.
	Partial bool
}

// DecodeEvery is Decode for all problems together: it leaves out the invalid values and decodes the
// rest.
func DecodeEvery[T any](text []byte, value *T, empty string) (m Mistakes) {
	problem, bad := Decode(text, value, empty)
	if !bad {
		return m
	}
	m.List = []Problem{problem}
	file, err := parser.ParseBytes(text, 0)
	if err != nil || len(file.Docs) == 0 || file.Docs[0].Body == nil {
		m.Partial = true
		return m
	}
	for body := file.Docs[0].Body; ; {
		path, found := leaveOut(body, problem)
		if !found || len(m.List) == maxProblems || len(m.List)*len(text) > maxDecoded {
			m.Partial = true
			return m
		}
		m.Paths = append(m.Paths, path)
		*value = *new(T)
		err := yaml.NodeToValue(body, value, yaml.Strict())
		if err == nil {
			return m
		}
		problem = ProblemOf(err)
		m.List = append(m.List, problem)
	}
}

// leaveOut removes the value with the problem from a tree, and returns its path. An item of a list
// becomes null, so that the other items keep their indexes.
func leaveOut(node ast.Node, p Problem) (path string, found bool) {
	switch n := node.(type) {
	case *ast.MappingNode:
		for i, value := range n.Values {
			if path, found := leaveOut(value.Value, p); found {
				return path, true
			}
			if stands(value.Key, p) || stands(value.Value, p) {
				n.Values = append(n.Values[:i:i], n.Values[i+1:]...)
				return pathOf(value.Value), true
			}
		}
	case *ast.SequenceNode:
		for i, item := range n.Values {
			if path, found := leaveOut(item, p); found {
				return path, true
			}
			if item.Type() != ast.NullType && stands(item, p) {
				path := pathOf(item)
				n.Values[i] = ast.Null(token.New("null", "null", item.GetToken().Position))
				return path, true
			}
		}
	}
	return "", false
}

func stands(node ast.Node, p Problem) bool {
	position := node.GetToken().Position
	return position.Line == p.Line && position.Column == p.Column
}

func pathOf(node ast.Node) string {
	return strings.TrimPrefix(strings.TrimPrefix(node.GetPath(), "$"), ".")
}
