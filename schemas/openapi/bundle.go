// Package openapi reads the OpenAPI documents in its folder. Bundle combines a document and the
// schema files that it refers to into one text. A Document validates HTTP exchanges against its
// description.
package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"partnerkit.dev/schemas"
)

// These are the documents of schemas.Files.
const (
	Marketplace = "openapi/marketplace.yaml" // the marketplace's API
	Partner     = "openapi/partner.yaml"     // the API that a partner serves
)

// components and parameters are the locations of schema files and parameters in a bundle.
const components, parameters = "#/components/schemas/", "#/components/parameters/"

const schemaSuffix = ".schema.json"

// Bundle returns a document of schemas.Files, such as Marketplace, as self-contained YAML. The
// schema files that it refers to become components with their names, such as Activity for
// reseller/activity.schema.json. The order of keys is kept.
func Bundle(file string) ([]byte, error) { return BundleAt(file, "") }

// BundleAt is Bundle for an API at one address, which may be relative to the bundle's own.
func BundleAt(file, server string) ([]byte, error) {
	document, err := read(file)
	if err != nil {
		return nil, err
	}
	b := bundle{components: map[string]bool{}, files: map[string]yaml.MapSlice{}}
	document, _ = b.rewrite(document, file).(yaml.MapSlice)
	var found yaml.MapSlice
	for len(b.waiting) > 0 {
		file := b.waiting[0]
		b.waiting = b.waiting[1:]
		schema, err := read(file)
		if err != nil {
			return nil, err
		}
		found = append(found, yaml.MapItem{Key: componentName(file), Value: b.rewrite(schema, file)})
	}
	if b.err != nil {
		return nil, b.err
	}
	for i, item := range document {
		switch list, _ := item.Value.(yaml.MapSlice); {
		case item.Key == "components":
			for _, kind := range list {
				if kind.Key == "parameters" {
					renamed, _ := kind.Value.(yaml.MapSlice)
					for i, parameter := range renamed {
						renamed[i].Key = parameterName(fmt.Sprint(parameter.Key))
					}
				}
			}
			if found != nil {
				list = append(list, yaml.MapItem{Key: "schemas", Value: found})
			}
			document[i].Value = removeKey(list, "x-headers") // x-headers only names what the file repeats
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

// read reads a YAML or JSON file and keeps its order.
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
	components map[string]bool // files that were found
	waiting    []string        // found files that have not been read yet
	files      map[string]yaml.MapSlice
	err        error
}

// rewrite returns a node of a file in its form for the bundle. Client generators support less than
// validators do, so the bundle refers only to complete components:
//   - a reference to a definition inside a file is replaced by the definition;
//   - so is a reference to a file that the keywords next to it change;
//   - a value that may be null, and otherwise has one type, says so by its type;
//   - a value of two types becomes any of two schemas, each with the keywords of its type.
func (b *bundle) rewrite(node any, file string) any {
	switch node := node.(type) {
	case yaml.MapSlice:
		if ref := text(node, "$ref"); ref != "" {
			return b.resolve(node, ref, file)
		}
		made := yaml.MapSlice{}
		for _, item := range node {
			if !ours[item.Key] {
				made = append(made, yaml.MapItem{Key: item.Key, Value: b.rewrite(item.Value, file)})
			}
		}
		return splitTypes(orNull(made))
	case []any:
		made := make([]any, len(node))
		for i, item := range node {
			made[i] = b.rewrite(item, file)
		}
		return made
	}
	return node
}

// ours are our own keywords, and the keywords that describe a schema as a file.
var ours = map[any]bool{"$schema": true, "$id": true, "$defs": true, "x-want": true, "x-bounds": true, "x-maxBytes": true}

// annotations are the keywords that may stand next to a reference without changing it.
var annotations = map[any]bool{"$ref": true, "title": true, "description": true, "examples": true, "x-want": true, "$schema": true, "$id": true}

// resolve returns a node with a reference.
func (b *bundle) resolve(node yaml.MapSlice, ref, from string) any {
	target, pointer, _ := strings.Cut(ref, "#")
	if target == "" && !strings.HasSuffix(from, schemaSuffix) { // within the document itself
		if name, ok := strings.CutPrefix(ref, parameters); ok {
			return yaml.MapSlice{{Key: "$ref", Value: parameters + parameterName(name)}}
		}
		return node
	}
	if target == "" {
		target = from
	} else {
		target = path.Join(path.Dir(from), target)
	}
	plain := !slices.ContainsFunc(node, func(item yaml.MapItem) bool { return !annotations[item.Key] })
	if pointer == "" && plain {
		made := yaml.MapSlice{{Key: "$ref", Value: b.reference(target)}}
		if description := text(node, "description"); description != "" && strings.HasSuffix(from, schemaSuffix) {
			made = append(made, yaml.MapItem{Key: "description", Value: description})
		}
		return made
	}
	schema, known := b.files[target]
	if !known {
		var err error
		if schema, err = read(target); err != nil {
			b.err = errors.Join(b.err, err)
			return node
		}
		b.files[target] = schema
	}
	for _, name := range strings.Split(pointer, "/")[1:] {
		schema, _ = value(schema, name).(yaml.MapSlice)
	}
	found, _ := b.rewrite(schema, target).(yaml.MapSlice)
	beside, _ := b.rewrite(removeKey(node, "$ref"), from).(yaml.MapSlice)
	if value(beside, "required") != nil {
		found = removeKey(found, "examples") // they lack what is required here
	}
	return mergeSchemas(found, beside)
}

// mergeSchemas returns a schema merged with the keywords next to the reference to it.
func mergeSchemas(found, beside yaml.MapSlice) yaml.MapSlice {
	made := slices.Clone(found)
	for _, item := range beside {
		i := slices.IndexFunc(made, func(known yaml.MapItem) bool { return known.Key == item.Key })
		switch {
		case i < 0:
			made = append(made, item)
		case item.Key == "properties":
			properties, _ := made[i].Value.(yaml.MapSlice)
			more, _ := item.Value.(yaml.MapSlice)
			made[i].Value = mergeSchemas(properties, more)
		case item.Key == "required":
			made[i].Value = slices.Concat(made[i].Value.([]any), item.Value.([]any))
		default:
			made[i].Value = item.Value
		}
	}
	return made
}

// orNull turns a schema with an anyOf of one value and null into a schema of that value or null. A
// schema that refers to an object stays unchanged.
func orNull(schema yaml.MapSlice) yaml.MapSlice {
	either, _ := value(schema, "anyOf").([]any)
	if len(either) != 2 {
		return schema
	}
	one, _ := either[0].(yaml.MapSlice)
	null, _ := either[1].(yaml.MapSlice)
	if text(null, "type") != "null" || text(one, "$ref") != "" {
		return schema
	}
	made := mergeSchemas(one, removeKey(schema, "anyOf"))
	made = mergeSchemas(made, yaml.MapSlice{{Key: "type", Value: []any{cmp.Or(text(one, "type"), "string"), "null"}}})
	if all, ok := value(one, "enum").([]any); ok {
		made = mergeSchemas(made, yaml.MapSlice{{Key: "enum", Value: append(slices.Clone(all), nil)}})
	}
	return made
}

// typed are the keywords that constrain only values of one type.
var typed = map[any][]string{
	"minimum": {"number", "integer"}, "maximum": {"number", "integer"},
	"minLength": {"string"}, "maxLength": {"string"}, "pattern": {"string"}, "format": {"string"},
	"items": {"array"}, "minItems": {"array"}, "maxItems": {"array"},
	"properties": {"object"}, "required": {"object"}, "additionalProperties": {"object"}, "patternProperties": {"object"},
}

// splitTypes turns a schema of several types, not counting null, into an anyOf with a schema for each.
func splitTypes(schema yaml.MapSlice) yaml.MapSlice {
	types, _ := value(schema, "type").([]any)
	if slices.Contains(types, any("null")) && len(types) < 3 || len(types) < 2 {
		return schema
	}
	made := yaml.MapSlice{}
	for _, item := range removeKey(schema, "type") {
		if typed[item.Key] == nil {
			made = append(made, item)
		}
	}
	var each []any
	for _, kind := range types {
		one := yaml.MapSlice{{Key: "type", Value: kind}}
		for _, item := range schema {
			if slices.Contains(typed[item.Key], fmt.Sprint(kind)) {
				one = append(one, item)
			}
		}
		if kind == "array" && value(one, "items") == nil {
			one = append(one, yaml.MapItem{Key: "items", Value: yaml.MapSlice{}}) // generators and linters ask for it
		}
		each = append(each, one)
	}
	return append(made, yaml.MapItem{Key: "anyOf", Value: each})
}

func value(node yaml.MapSlice, name string) any {
	for _, item := range node {
		if item.Key == name {
			return item.Value
		}
	}
	return nil
}

func text(node yaml.MapSlice, name string) string {
	text, _ := value(node, name).(string)
	return text
}

func removeKey(node yaml.MapSlice, name string) yaml.MapSlice {
	return slices.DeleteFunc(slices.Clone(node), func(item yaml.MapItem) bool { return item.Key == name })
}

// reference returns the reference to the component of a file, and queues the file for reading.
func (b *bundle) reference(file string) string {
	if !b.components[file] {
		b.components[file] = true
		b.waiting = append(b.waiting, file)
	}
	return components + componentName(file)
}

// componentName returns a name that every generator can turn into a type: Booking for
// booking/booking.schema.json, or ResellerSlot if another folder has a slot too.
func componentName(file string) string {
	folder, base := path.Split(strings.TrimSuffix(file, schemaSuffix))
	if shared, _ := fs.Glob(schemas.Files(), "*/"+base+schemaSuffix); len(shared) > 1 {
		base = strings.TrimSuffix(folder, "/") + "-" + base
	}
	return pascalCase(base, "-")
}

// parameterName distinguishes a parameter from a schema with the same name, because generators turn
// both into types.
func parameterName(name string) string { return pascalCase(name, "_") + "Parameter" }

func pascalCase(name, separator string) (joined string) {
	for _, word := range strings.Split(name, separator) {
		joined += strings.ToUpper(word[:1]) + word[1:]
	}
	return joined
}
