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

// compiledSchemas is every schema. Each is compiled when it is first used, because a program needs
// few of them.
type compiledSchemas struct {
	byName map[string]func() *jsonschema.Schema
	// documents are the schemas as they are compiled, by $id. Messages take their words from them.
	documents map[string]any
	// properties are the names of all properties of all schemas, by the folded name. No two differ
	// only in case.
	properties map[string]string
}

// compiled reads the schemas on first use. Reading and compiling cannot fail at run time, because a
// test compiles them all.
var compiled = sync.OnceValue(func() *compiledSchemas {
	all := &compiledSchemas{
		byName:     map[string]func() *jsonschema.Schema{},
		documents:  map[string]any{},
		properties: map[string]string{},
	}
	c := all.compiler()
	var one sync.Mutex // a compiler is not safe for concurrent use
	for _, name := range Names() {
		if err := all.read(name); err != nil {
			panic(err)
		}
		all.byName[name] = sync.OnceValue(func() *jsonschema.Schema {
			one.Lock()
			defer one.Unlock()
			return c.MustCompile(base + name + suffix)
		})
	}
	return all
})

func (all *compiledSchemas) compiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.Formats = Formats()
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		document, ok := all.documents[url]
		if !ok {
			return nil, fmt.Errorf("%s is not embedded, and nothing is fetched", url)
		}
		text, err := json.Marshal(document)
		return io.NopCloser(bytes.NewReader(text)), err
	}
	c.RegisterExtension(itemsKeyword, nil, itemsCompiler{})
	c.RegisterExtension(bytesKeyword, nil, bytesCompiler{})
	return c
}

func (all *compiledSchemas) read(name string) error {
	text, err := Source(name)
	if err != nil {
		return err
	}
	document, problem := Read(text)
	if problem != nil {
		return fmt.Errorf("read schema %s: %s", name, problem)
	}
	objects(document, func(node map[string]any) {
		properties, _ := node["properties"].(map[string]any)
		for name := range properties {
			all.properties[foldName(name)] = name
		}
		renameItems(node)
	})
	all.documents[base+name+suffix] = document
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

// foldName gives names the same form if encoding/json treats them as equal. Upper case comes first,
// because ſ reaches s only through its upper-case form.
func foldName(name string) string { return strings.ToLower(strings.ToUpper(name)) }
