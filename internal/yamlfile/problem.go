// Package yamlfile reads YAML files that people write, within limits, and reports problems with
// their locations.
package yamlfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"partnerkit.dev/internal/safetext"
)

// Problem is one problem of a file.
type Problem struct {
	Path    string // such as products[2].schedules.morning.starts[0]
	Line    int    // line in the file, from 1; 0 if there is no file
	Column  int    // column in the file, from 1
	Message string
}

// Problems is the error of an invalid file.
type Problems struct {
	File string // empty if there is no file
	List []Problem
}

// Error returns one line for every problem, each beginning with its location.
func (p *Problems) Error() string {
	lines := make([]string, 0, len(p.List))
	for _, problem := range p.List {
		var line strings.Builder
		if p.File != "" {
			line.WriteString(p.File + ":")
		}
		if problem.Line > 0 {
			fmt.Fprintf(&line, "%d:%d:", problem.Line, problem.Column)
		}
		if line.Len() > 0 {
			line.WriteString(" ")
		}
		if problem.Path != "" {
			line.WriteString(shorten(problem.Path) + ": ")
		}
		lines = append(lines, safetext.Line(line.String()+shorten(problem.Message)))
	}
	return strings.Join(lines, "\n")
}

// misplaced is the error of an invalid value. The library passes it through while decoding, so that
// its location is not lost.
type misplaced struct{ Problem }

// Error describes the problem, without the location.
func (m *misplaced) Error() string { return m.Message }

// ErrorAt returns an error about the value at the node.
func ErrorAt(node ast.Node, format string, args ...any) error {
	return &misplaced{problemAt(node.GetToken(), fmt.Sprintf(format, args...))}
}

func problemAt(t *token.Token, message string) Problem {
	return Problem{Line: t.Position.Line, Column: t.Position.Column, Message: shorten(message)}
}

// longestMessage is the maximum size of a message or a path, in bytes. A key may have as many as the file.
const longestMessage = 500

func shorten(text string) string {
	if len(text) <= longestMessage {
		return text
	}
	return strings.ToValidUTF8(text[:longestMessage], "") + "…"
}

// ProblemOf returns the problem of a decoding error, with its location if the error has one.
func ProblemOf(err error) Problem {
	var placed yaml.Error
	var own *misplaced
	if problem, is := kindProblem(err); is {
		return problem
	}
	switch {
	case errors.As(err, &own):
		return own.Problem
	case errors.As(err, &placed) && placed.GetToken() != nil:
		return problemAt(placed.GetToken(), placed.GetMessage())
	case placed != nil:
		return Problem{Message: shorten(placed.GetMessage())}
	}
	return Problem{Message: shorten(err.Error())}
}

// Locate finds the lines of the problems in the text by their paths. If the path does not exist,
// because something required is missing, the line is that of its nearest parent.
func Locate(problems []Problem, text []byte) {
	if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Line == 0 && p.Path != "" }) {
		return // then the text need not be valid YAML
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return // does not happen: the text was decoded before
	}
	for i := range problems {
		if problems[i].Line > 0 {
			continue
		}
		for path := problems[i].Path; path != ""; path = path[:max(strings.LastIndexAny(path, ".["), 0)] {
			if node, err := find(file, path); err == nil {
				position := node.GetToken().Position
				problems[i].Line, problems[i].Column = position.Line, position.Column
				break
			}
		}
	}
}

func find(file *ast.File, path string) (ast.Node, error) {
	separator := "."
	if strings.HasPrefix(path, "[") {
		separator = ""
	}
	selector, err := yaml.PathString("$" + separator + path)
	if err != nil {
		return nil, err
	}
	return selector.FilterFile(file)
}
