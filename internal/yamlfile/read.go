package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/scanner"
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
	if problem, ok := TooLarge(text); ok {
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

// TooLarge finds the first token that is nested too deeply, or up to which parsing would take too much time or memory.
func TooLarge(text []byte) (Problem, bool) {
	_, problem, bad := tokenize(text, maxDepth)
	return problem, bad
}

const (
	// maxTokens is the maximum number of tokens of a text. Each takes some hundred bytes when it is parsed.
	maxTokens = 1_000_000
	// maxWork limits the steps of the parser for keys on lines of their own. It copies the following keys of the
	// same object for each of them, so 6,000 keys in one object take as long as 300,000 objects with 12 keys.
	maxWork = 20_000_000
)

// tokenize returns the tokens of a text, unless the parser would need too much for them.
func tokenize(text []byte, depth int) (all token.Tokens, found Problem, bad bool) {
	var scan scanner.Scanner
	scan.Init(string(text))
	m := meter{depth: depth}
	for {
		some, err := scan.Scan()
		if err == io.EOF {
			return all, Problem{}, false
		}
		for _, t := range some {
			all.Add(t)
			if wrong := m.take(t); wrong != "" {
				return nil, problemAt(t, wrong), true
			}
		}
	}
}

// meter measures what the parser needs for the tokens so far.
type meter struct {
	depth                  int // that is allowed
	tokens, work           int
	line, onLine, brackets int      // the line of the token, how many dashes it has, and the open brackets
	first                  int      // the column of the first token on the line that is no dash
	objects                []object // that enclose the token, outside of brackets
}

// object is an object whose keys are on lines of their own.
type object struct{ column, keys int }

// take measures the next token, and returns what is too much.
func (m *meter) take(t *token.Token) string {
	if m.tokens++; t.Position.Line != m.line {
		m.line, m.onLine, m.first = t.Position.Line, 0, 0
	}
	if m.first == 0 && t.Type != token.SequenceEntryType {
		m.first = t.Position.Column
	}
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		m.brackets++
	case token.SequenceEndType, token.MappingEndType:
		m.brackets--
	case token.DocumentHeaderType, token.DocumentEndType:
		m.objects = nil
	case token.SequenceEntryType, token.MappingKeyType:
		m.onLine++
		m.leave(t.Position.Column)
	case token.MappingValueType:
		if m.brackets == 0 {
			m.addKey()
		}
	}
	switch {
	case max(m.brackets, m.onLine) > m.depth: // nesting by lines would take more text than a file may have
		return fmt.Sprintf("nested deeper than %d levels", m.depth)
	case m.tokens > maxTokens:
		return fmt.Sprintf("expected at most %d names and values, received more", maxTokens)
	case m.work > maxWork:
		return "too many keys in one object: use a list, or several files"
	}
	return ""
}

// leave ends the objects to the right of a column.
func (m *meter) leave(column int) {
	for len(m.objects) > 0 && m.objects[len(m.objects)-1].column > column {
		m.objects = m.objects[:len(m.objects)-1]
	}
}

func (m *meter) addKey() {
	m.leave(m.first)
	if len(m.objects) == 0 || m.objects[len(m.objects)-1].column < m.first {
		m.objects = append(m.objects, object{column: m.first})
	}
	last := &m.objects[len(m.objects)-1]
	last.keys++
	m.work += last.keys
}
