package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// base is the prefix of the schemas' $ids. It is a name, not an address.
const base = "https://partnerkit.dev/schemas/"

// compiledSchemas is every schema, compiled.
type compiledSchemas struct {
	byName map[string]*jsonschema.Schema
	// documents are the schemas as they were compiled, by $id. Messages take their words from them.
	documents map[string]any
	// properties are the names of all properties of all schemas, by the folded name. No two differ
	// only in case.
	properties map[string]string
}

// compiled compiles on first use. The schemas cannot fail at run time, because a test compiles them
// all.
var compiled = sync.OnceValue(func() *compiledSchemas {
	all, err := compile()
	if err != nil {
		panic(err)
	}
	return all
})

func compile() (*compiledSchemas, error) {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.Formats = Formats()
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%s is not embedded, and nothing is fetched", url)
	}
	c.RegisterExtension(itemsKeyword, nil, itemsCompiler{})

	all := &compiledSchemas{
		byName:     map[string]*jsonschema.Schema{},
		documents:  map[string]any{},
		properties: map[string]string{},
	}
	for _, name := range Names() {
		if err := all.add(c, name); err != nil {
			return nil, err
		}
	}
	for _, name := range Names() {
		schema, err := c.Compile(base + name + suffix)
		if err != nil {
			return nil, fmt.Errorf("compile schema %s: %w", name, err)
		}
		all.byName[name] = schema
	}
	return all, nil
}

func (all *compiledSchemas) add(c *jsonschema.Compiler, name string) error {
	text, err := Source(name)
	if err != nil {
		return err
	}
	document, problem := read(text)
	if problem != nil {
		return fmt.Errorf("read schema %s: %s", name, problem)
	}
	objects(document, func(node map[string]any) {
		properties, _ := node["properties"].(map[string]any)
		for name := range properties {
			all.properties[folded(name)] = name
		}
		renameItems(node)
	})
	if text, err = json.Marshal(document); err != nil {
		return fmt.Errorf("write schema %s: %w", name, err)
	}
	all.documents[base+name+suffix] = document
	if err := c.AddResource(base+name+suffix, bytes.NewReader(text)); err != nil {
		return fmt.Errorf("add schema %s: %w", name, err)
	}
	return nil
}

// objects visits every object of a document.
func objects(node any, visit func(map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		visit(node)
		for _, child := range node {
			objects(child, visit)
		}
	case []any:
		for _, child := range node {
			objects(child, visit)
		}
	}
}

// folded gives names the same form if encoding/json treats them as equal. Upper case comes first,
// because ſ reaches s only through its upper-case form.
func folded(name string) string { return strings.ToLower(strings.ToUpper(name)) }
