// Package yamlfile reads the YAML files that people write for a run. Its errors
// are one line that begins with the file and the line, and never show what stands
// there: a key may, by mistake.
package yamlfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// maxSize bounds a file, in bytes: a long one has a hundred lines.
	maxSize = 1 << 20
	// maxDepth bounds how deep it nests: the parser calls itself.
	maxDepth = 20
)

// File is a YAML file that was read.
type File struct {
	Path string
	Root ast.Node // nil where the file is empty
}

// Read reads the file at path.
func Read(path string) (*File, error) {
	text, err := contents(path)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path}
	if err := f.checkTokens(text); err != nil {
		return nil, err
	}
	parsed, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, f.Wrong(err)
	}
	for _, document := range parsed.Docs {
		switch {
		case document.Body == nil || document.Body.Type() == ast.NullType || document.Body.Type() == ast.CommentType, document.Body.Type() == ast.DirectiveType:
		case f.Root != nil:
			return nil, f.At(document.Body, "there are two documents in the file: want one")
		default:
			f.Root = document.Body
		}
	}
	return f, nil
}

func contents(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	switch {
	case err != nil:
		return nil, unreadable(path, err)
	case len(text) > maxSize:
		return nil, fmt.Errorf("%s is larger than %d MiB: want a short file of YAML", path, maxSize>>20)
	}
	return text, nil
}

func unreadable(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s cannot be read: %w: let this user read it, or name another file", path, fs.ErrPermission)
	}
	if inPath := (*fs.PathError)(nil); errors.As(err, &inPath) {
		err = inPath.Err
	}
	return fmt.Errorf("%s cannot be read: %w", path, err)
}

// checkTokens refuses what would take the parser long, or what stands for
// something elsewhere in the file.
func (f *File) checkTokens(text []byte) error {
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
		case token.AnchorType, token.AliasType, token.TagType:
			return f.at(t, "anchors, aliases and tags are not read here: write the value itself")
		}
		if max(brackets, onLine) > maxDepth {
			return f.at(t, "nested deeper than %d levels", maxDepth)
		}
	}
	return nil
}

// Decode reads what stands at the node into value; a key that value has no field
// for is an error.
func (f *File) Decode(node ast.Node, value any) error {
	if err := yaml.NodeToValue(node, value, yaml.Strict()); err != nil {
		return f.Wrong(err)
	}
	return nil
}

// At returns the error of the value at the node.
func (f *File) At(node ast.Node, format string, args ...any) error {
	return f.at(node.GetToken(), format, args...)
}

func (f *File) at(t *token.Token, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", f.Path, t.Position.Line, fmt.Sprintf(format, args...))
}

// Wrong returns an error of the parser with its place in the file.
func (f *File) Wrong(err error) error {
	var placed yaml.Error
	if errors.As(err, &placed) && placed.GetToken() != nil {
		return f.at(placed.GetToken(), "%s", placed.GetMessage())
	}
	return fmt.Errorf("%s is no YAML that can be read: want keys and values, as the examples show", f.Path)
}
