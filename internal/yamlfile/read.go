package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// maxDepth is the maximum nesting depth of a text, because the parser is recursive.
const maxDepth = 100

// Read returns the content of a file. If the file cannot be read, or is larger than most bytes, the
// error names it.
func Read(path string, most int64) ([]byte, error) {
	text, err := contents(path, most)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w; let this user read it, or name another file", err)
	}
	return text, err
}

// errTooLarge is the error of a file that exceeds its maximum size.
var errTooLarge = errors.New("is larger than")

func contents(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s %w %d MiB", path, errTooLarge, most>>20)
	}
	return text, err
}

// Decode decodes YAML, of which JSON is a subset, into value. An unknown key is a problem. For an
// empty text the message is the parameter empty.
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

// TooDeep finds the first token that is nested too deeply.
func TooDeep(text []byte) (Problem, bool) {
	return nestedDeeper(lexer.Tokenize(string(text)), maxDepth)
}

// nestedDeeper finds the first token nested deeper than most levels, in brackets or by several
// dashes on one line. Nesting by lines would take more text than a file may have.
func nestedDeeper(tokens token.Tokens, most int) (Problem, bool) {
	brackets, onLine, line := 0, 0, 0
	for _, t := range tokens {
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
		if max(brackets, onLine) > most {
			return problemAt(t, fmt.Sprintf("nested deeper than %d levels", most)), true
		}
	}
	return Problem{}, false
}
