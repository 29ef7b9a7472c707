package yamlfile

import (
	"errors"
	"reflect"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// kindProblem returns the problem of a value of the wrong kind. Its message names no Go type and
// does not show the value.
func kindProblem(err error) (Problem, bool) {
	kind, bounds, node := (*yaml.TypeError)(nil), (*yaml.OverflowError)(nil), (*yaml.UnexpectedNodeTypeError)(nil)
	say := func(t *token.Token, expected, received string) (Problem, bool) {
		message := "expected " + expected + ", received " + received
		if t == nil {
			return Problem{Message: message}, true
		}
		return problemAt(t, message), true
	}
	switch {
	case errors.As(err, &kind):
		return say(kind.Token, kindWords(kind.DstType), kindWords(kind.SrcType))
	case errors.As(err, &bounds):
		return say(bounds.Token, kindWords(bounds.DstType), "a number that is out of range")
	case errors.As(err, &node):
		return say(node.Token, nodeWords(node.Expected), nodeWords(node.Actual))
	}
	return Problem{}, false
}

func kindWords(t reflect.Type) string {
	if t == nil {
		return "nothing"
	}
	if t == reflect.TypeFor[time.Duration]() {
		return "a duration such as 15m"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindWords(t.Elem())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "keys with values"
	}
	return "text"
}

func nodeWords(n ast.NodeType) string {
	switch n {
	case ast.MappingType, ast.MappingValueType:
		return "keys with values"
	case ast.SequenceType:
		return "a list"
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.BoolType:
		return "true or false"
	case ast.NullType:
		return "nothing"
	}
	return "text"
}
