package schemas

import (
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// bytesKeyword is the maximum length of a string in bytes, because maxLength counts characters. At
// the top of a schema it is that of a text: see CheckSize.
const bytesKeyword = "x-maxBytes"

type bytesCompiler struct{}

func (bytesCompiler) Compile(_ jsonschema.CompilerContext, node map[string]any) (jsonschema.ExtSchema, error) {
	number, ok := node[bytesKeyword].(json.Number)
	if !ok {
		return nil, nil
	}
	most, err := number.Int64()
	return maxBytes(most), err
}

type maxBytes int

func (m maxBytes) Validate(ctx jsonschema.ValidationContext, value any) error {
	if text, ok := value.(string); ok && len(text) > int(m) {
		return ctx.Error(bytesKeyword, "longer than %d bytes", int(m))
	}
	return nil
}
