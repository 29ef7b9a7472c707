// Package yamlfile reads the YAML files that people write for a mock, and tells
// what is wrong with them by line and column.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
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

// Read returns what a file holds, and an error that names the file where it
// cannot be read or is larger than most bytes.
func Read(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w; let this user read it, or name another file", err)
	case err != nil:
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, most>>20)
	}
	return text, nil
}

// maxDepth bounds how deep a file nests: the parser calls itself.
const maxDepth = 100

// Decode reads YAML, of which JSON is a part, into value. An unknown key is a
// problem. An empty text is the problem that the word empty says.
func Decode(text []byte, value any, empty string) (Problem, bool) {
	if problem, ok := TooDeep(text); ok {
		return problem, true
	}
	err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(value)
	switch {
	case err == nil:
		return Problem{}, false
	case errors.Is(err, io.EOF):
		return Problem{Message: empty}, true
	default:
		return ProblemOf(err), true
	}
}

// ProblemOf returns the problem that an error of decoding tells, with its place
// where the error has one.
func ProblemOf(err error) Problem {
	var placed yaml.Error
	var misplaced *Misplaced
	switch {
	case errors.As(err, &misplaced):
		return misplaced.Problem
	case errors.As(err, &placed):
		problem := Problem{Message: placed.GetMessage()}
		if t := placed.GetToken(); t != nil {
			problem.Line, problem.Column = t.Position.Line, t.Position.Column
		}
		return problem
	}
	return Problem{Message: err.Error()}
}

// Misplaced is the error of a value that is not what its key wants.
type Misplaced struct{ Problem Problem }

// At returns the error of the value at the node.
func At(node ast.Node, format string, args ...any) error {
	position := node.GetToken().Position
	return &Misplaced{Problem{Line: position.Line, Column: position.Column, Message: fmt.Sprintf(format, args...)}}
}

// Error tells what is wrong, without the place.
func (m *Misplaced) Error() string { return m.Problem.Message }

// TooDeep finds what nests deeper than maxDepth: in brackets, or by one line of
// dashes. Nesting by lines takes more text than a file may have.
func TooDeep(text []byte) (Problem, bool) {
	brackets, onLine, line := 0, 0, 0
	for _, t := range lexer.Tokenize(string(text)) {
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			brackets++
		case token.SequenceEndType, token.MappingEndType:
			brackets--
		case token.SequenceEntryType, token.MappingKeyType:
			if t.Position.Line != line {
				line, onLine = t.Position.Line, 0
			}
			onLine++
		}
		if max(brackets, onLine) > maxDepth {
			return Problem{Line: t.Position.Line, Column: t.Position.Column, Message: fmt.Sprintf("nested deeper than %d levels", maxDepth)}, true
		}
	}
	return Problem{}, false
}

// Locate finds the lines of the problems in the text by their paths. A place
// that is not there (something required is missing) is told by what should
// hold it.
func Locate(problems []Problem, text []byte) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return // the text was decoded before: it parses
	}
	for i := range problems {
		if problems[i].Line > 0 {
			continue
		}
		for path := problems[i].Path; path != ""; path = parent(path) {
			node, err := find(file, path)
			if err != nil {
				continue
			}
			position := node.GetToken().Position
			problems[i].Line, problems[i].Column = position.Line, position.Column
			break
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

// parent drops the last step of a path: its index or its name.
func parent(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}
