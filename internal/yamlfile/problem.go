// Package yamlfile reads the YAML files that people write, within bounds, and tells what
// is wrong with them by place.
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
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	Path    string // such as products[2].schedules.morning.starts[0]
	Line    int    // line in the file, from 1; 0 where there is no file
	Column  int    // column in the file, from 1
	Message string
}

// Problems is the error of a file that cannot be used.
type Problems struct {
	File string // empty where there is no file
	List []Problem
}

// Error returns one line for every problem, each beginning with its place.
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
			line.WriteString(problem.Path + ": ")
		}
		lines = append(lines, line.String()+problem.Message)
	}
	return strings.Join(lines, "\n")
}

// misplaced is the error of a value that is not what its key wants. The library keeps it
// while it decodes, so that its place is not lost.
type misplaced struct{ Problem }

// Error tells what is wrong, without the place.
func (m *misplaced) Error() string { return m.Message }

// At returns the error of the value at the node.
func At(node ast.Node, format string, args ...any) error {
	return &misplaced{at(node.GetToken(), fmt.Sprintf(format, args...))}
}

func at(t *token.Token, message string) Problem {
	return Problem{Line: t.Position.Line, Column: t.Position.Column, Message: message}
}

// ProblemOf returns the problem that an error of decoding tells, with its place
// where the error has one.
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
		return at(placed.GetToken(), placed.GetMessage())
	case placed != nil:
		return Problem{Message: placed.GetMessage()}
	}
	return Problem{Message: err.Error()}
}

// Locate finds the lines of the problems in the text by their paths. A place
// that is not there (something required is missing) is told by what should
// hold it.
func Locate(problems []Problem, text []byte) {
	if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Line == 0 && p.Path != "" }) {
		return // the text need not be one that can be parsed
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return // the text was decoded before: it parses
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
