package schemas

import (
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// itemsKeyword replaces "items" while our schemas are compiled. It means the same, but stops after
// MaxProblems. The library's own keyword would build an error for each of a million wrong elements.
const itemsKeyword = "x-items"

// renameItems replaces "items" by itemsKeyword in an object of a schema. No property of ours is
// called items, which a test checks.
func renameItems(node map[string]any) {
	if items, ok := node["items"]; ok {
		node[itemsKeyword] = items
		delete(node, "items")
	}
}

type itemsCompiler struct{}

func (itemsCompiler) Compile(ctx jsonschema.CompilerContext, node map[string]any) (jsonschema.ExtSchema, error) {
	if _, ok := node[itemsKeyword]; !ok {
		return nil, nil
	}
	item, err := ctx.Compile(itemsKeyword, false)
	if err != nil {
		return nil, err
	}
	return itemsValidator{item}, nil
}

type itemsValidator struct{ item *jsonschema.Schema }

func (v itemsValidator) Validate(ctx jsonschema.ValidationContext, value any) error {
	array, ok := value.([]any)
	if !ok {
		return nil
	}
	var errs []error
	found := 0
	for i, item := range array {
		err := ctx.Validate(v.item, itemsKeyword, item, strconv.Itoa(i))
		if err == nil {
			continue
		}
		errs = append(errs, err)
		if found += len(leaves(err.(*jsonschema.ValidationError), nil)); found >= MaxProblems {
			break
		}
	}
	if errs == nil {
		return nil
	}
	return jsonschema.ValidationError{}.Group(ctx.Error(itemsKeyword, "items failed"), errs...)
}

func leaves(err *jsonschema.ValidationError, found []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(err.Causes) == 0 {
		return append(found, err)
	}
	for _, cause := range err.Causes {
		found = leaves(cause, found)
	}
	return found
}
