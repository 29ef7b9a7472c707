package script

import (
	"regexp"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"partnerkit.dev/internal/yamlfile"
)

// inBody is where a value may be anything, null among it.
var inBody = regexp.MustCompile(`^\$(\.faults)?(\[\d+\])?\.body`)

// plain finds what a file of ours has not, though YAML has it: names for values
// that stand elsewhere, which can make a small file huge, and keys without a
// value, which look as if they said something.
func plain(text []byte) []yamlfile.Problem {
	if !utf8.Valid(text) {
		return []yamlfile.Problem{{Message: "want text in UTF-8"}}
	}
	if problem, bad := yamlfile.TooDeep(text); bad {
		return []yamlfile.Problem{problem}
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return []yamlfile.Problem{yamlfile.ProblemOf(err)}
	}
	var found finder
	for _, document := range tree.Docs {
		if document.Body != nil {
			ast.Walk(&found, document.Body)
		}
	}
	if len(tree.Docs) > 1 {
		line, column := 0, 0
		if start := tree.Docs[1].Start; start != nil {
			line, column = start.Position.Line, start.Position.Column
		}
		found.add(line, column, "want one document, got a second one")
	}
	return found.problems
}

// finder collects the first problem of a walk.
type finder struct{ problems []yamlfile.Problem }

func (f *finder) add(line, column int, message string) {
	if len(f.problems) == 0 {
		f.problems = append(f.problems, yamlfile.Problem{Line: line, Column: column, Message: message})
	}
}

// Visit implements ast.Visitor.
func (f *finder) Visit(node ast.Node) ast.Visitor {
	position := node.GetToken().Position
	switch node.Type() {
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType, ast.TagType:
		f.add(position.Line, position.Column, "anchors, aliases and tags are not taken: write the value itself")
	case ast.NullType:
		if !inBody.MatchString(node.GetPath()) {
			f.add(position.Line, position.Column, "there is no value here: give one, or leave the key out")
		}
	}
	return f
}
