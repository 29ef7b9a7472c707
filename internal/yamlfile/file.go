package yamlfile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"partnerkit.dev/internal/safetext"
)

// These are the limits of a File. Even a long one has only about a hundred lines.
const (
	maxFileSize  = 1 << 20 // bytes
	maxFileDepth = 20
)

// File is a short YAML file of plain values. Its errors are one line that begins with the file and
// the line. They never show the value, because it may be a key by mistake.
type File struct {
	path string
	Root ast.Node // nil if the file is empty
}

// Open reads the file at path.
func Open(path string) (*File, error) {
	text, err := contents(path, maxFileSize)
	if err != nil {
		return nil, readError(path, err)
	}
	f := &File{path: path}
	if err := f.check(text); err != nil {
		return nil, err
	}
	parsed, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, f.parseError(err)
	}
	for _, document := range parsed.Docs {
		switch {
		case document.Body == nil || slices.Contains([]ast.NodeType{ast.NullType, ast.CommentType, ast.DirectiveType}, document.Body.Type()):
		case f.Root != nil:
			return nil, f.ErrorAt(document.Body, "expected one YAML document, received two")
		default:
			f.Root = document.Body
		}
	}
	return f, nil
}

func readError(path string, err error) error {
	inPath := (*fs.PathError)(nil)
	switch {
	case errors.Is(err, errTooLarge):
		return fmt.Errorf("%w: the YAML is too large", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be read: %w: let this user read it, or name another file", path, fs.ErrPermission)
	case errors.As(err, &inPath):
		err = inPath.Err
	}
	return fmt.Errorf("%s cannot be read: %w", path, err)
}

// check rejects text that would take the parser too long, and references to other parts of the
// file.
func (f *File) check(text []byte) error {
	tokens, problem, bad := tokenize(text, maxFileDepth)
	if bad {
		return f.error(problem)
	}
	for _, t := range tokens {
		if t.Type == token.AnchorType || t.Type == token.AliasType || t.Type == token.TagType {
			return f.error(problemAt(t, "anchors, aliases and tags are not supported here: write the value itself"))
		}
	}
	return nil
}

// Decode decodes the node into value. A key without a matching field is an error.
func (f *File) Decode(node ast.Node, value any) error {
	if err := yaml.NodeToValue(node, value, yaml.Strict()); err != nil {
		return f.parseError(err)
	}
	return nil
}

// ErrorAt returns an error about the value at the node.
func (f *File) ErrorAt(node ast.Node, format string, args ...any) error {
	return f.error(problemAt(node.GetToken(), fmt.Sprintf(format, args...)))
}

// parseError returns an error of the parser with its location in the file.
func (f *File) parseError(err error) error {
	if problem := ProblemOf(err); problem.Line > 0 {
		return f.error(problem)
	}
	return fmt.Errorf("%s is not valid YAML: expected keys and values, as in the examples", f.path)
}

func (f *File) error(p Problem) error {
	return fmt.Errorf("%s:%d: %s", f.path, p.Line, safetext.Line(p.Message))
}
