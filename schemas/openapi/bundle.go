// Package openapi reads the OpenAPI documents that lie beside it: Bundle makes one text
// of a document and the schema files that it refers to, and a Document judges HTTP
// exchanges by what it describes.
package openapi

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"partnerkit.dev/schemas"
)

// The documents of schemas.Files.
const (
	Marketplace = "openapi/marketplace.yaml" // the marketplace's API
	Partner     = "openapi/partner.yaml"     // what a partner serves
)

// components is where the schema files lie in a bundle.
const components = "#/components/schemas/"

const schemaSuffix = ".schema.json"

// Bundle returns a document of schemas.Files, such as Marketplace, as YAML that stands
// alone: the schema files that it refers to are among its components, by their names,
// such as reseller.activity for reseller/activity.schema.json. What is written keeps
// its order.
func Bundle(file string) ([]byte, error) { return BundleAt(file, "") }

// BundleAt is a Bundle of an API that lies at one address, which may be relative to the
// one that the bundle is served at.
func BundleAt(file, server string) ([]byte, error) {
	document, err := read(file)
	if err != nil {
		return nil, err
	}
	b := bundle{components: map[string]bool{}}
	b.rewrite(document, file)
	var found yaml.MapSlice
	for len(b.waiting) > 0 {
		file := b.waiting[0]
		b.waiting = b.waiting[1:]
		schema, err := read(file)
		if err != nil {
			return nil, err
		}
		b.rewrite(schema, file)
		found = append(found, yaml.MapItem{Key: componentName(file), Value: anonymous(schema)})
	}
	for i, item := range document {
		switch list, _ := item.Value.(yaml.MapSlice); {
		case item.Key == "components" && found != nil:
			document[i].Value = append(list, yaml.MapItem{Key: "schemas", Value: found})
		case item.Key == "servers" && server != "":
			document[i].Value = []any{yaml.MapSlice{{Key: "url", Value: server}}}
		}
	}
	text, err := yaml.MarshalWithOptions(document, yaml.IndentSequence(true), yaml.UseLiteralStyleIfMultiline(true))
	if err != nil {
		return nil, fmt.Errorf("write the bundle of %s: %w", file, err)
	}
	return text, nil
}

// read reads a YAML or JSON file, in its order.
func read(file string) (yaml.MapSlice, error) {
	text, err := fs.ReadFile(schemas.Files(), file)
	if err != nil {
		return nil, err
	}
	var document yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(text, &document, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return document, nil
}

// bundle collects the files that are referred to.
type bundle struct {
	components map[string]bool // the files that are found
	waiting    []string        // those of them that are not read yet
}

// rewrite makes every reference below a node of a file one into the bundle.
func (b *bundle) rewrite(node any, file string) {
	switch node := node.(type) {
	case yaml.MapSlice:
		for i, item := range node {
			if ref, ok := item.Value.(string); ok && item.Key == "$ref" {
				node[i].Value = b.reference(ref, file)
				continue
			}
			b.rewrite(item.Value, file)
		}
	case []any:
		for _, item := range node {
			b.rewrite(item, file)
		}
	}
}

func (b *bundle) reference(ref, from string) string {
	file, pointer, _ := strings.Cut(ref, "#")
	if file == "" && !strings.HasSuffix(from, schemaSuffix) {
		return ref // of the document to itself
	}
	if file == "" {
		return components + componentName(from) + pointer
	}
	file = path.Join(path.Dir(from), file)
	if !b.components[file] {
		b.components[file] = true
		b.waiting = append(b.waiting, file)
	}
	return components + componentName(file) + pointer
}

func componentName(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(file, schemaSuffix), "/", ".")
}

// anonymous is a schema without what it is as a file.
func anonymous(schema yaml.MapSlice) yaml.MapSlice {
	return slices.DeleteFunc(schema, func(item yaml.MapItem) bool { return item.Key == "$schema" || item.Key == "$id" })
}
