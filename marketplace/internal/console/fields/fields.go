// Package fields contains the fields of an activity that operators edit in a form: how each is
// written as text, and how the form's changes become a merge patch.
package fields

import (
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Field is a field of an activity or a variation that operators can change.
type Field struct {
	Path  string // the API's name
	Label string
	Kind  string // text, area, list (a line each), pictures (a line each), pairs (a line each), number, measure, whole, flag, remove or choice
	Hint  string
	Rows  int
}

// Group is a section of a form.
type Group struct {
	Title    string
	Fields   []Field
	Language string // of a translation; "" for other groups
	Others   string // names of stored fields that the form does not have
}

// Activity and Variation have the fields of an activity and of a variation.
var Activity, Variation = table("activity"), table("variation")

// fieldsTable lists the fields of each form by section.
//
//go:embed fields.csv
var fieldsTable string

// table returns the sections of a form.
func table(form string) (groups []Group) {
	rows, err := csv.NewReader(strings.NewReader(fieldsTable)).ReadAll()
	if err != nil {
		panic(err) // the file is part of the program
	}
	for _, row := range rows {
		if row[0] != form {
			continue
		}
		if last := len(groups) - 1; last < 0 || groups[last].Title != row[1] {
			groups = append(groups, Group{Title: row[1]})
		}
		lines, _ := strconv.Atoi(row[5])
		g := &groups[len(groups)-1]
		g.Fields = append(g.Fields, Field{Path: row[2], Label: row[3], Kind: row[4], Rows: lines, Hint: row[6]})
	}
	return groups
}

// Object is a JSON object with numbers as written.
type Object map[string]any

// ValueAt returns the value at a path; nil if it is absent.
func (o Object) ValueAt(path string) any {
	var here any = map[string]any(o)
	for _, name := range strings.Split(path, ".") {
		inner, _ := here.(map[string]any)
		here = inner[name]
	}
	return here
}

// Given returns a field's value; nil if nothing is given. The API answers 0 for every measure of an object
// where nothing is given.
func (o Object) Given(f Field) any {
	value := o.ValueAt(f.Path)
	if f.Kind != "measure" {
		return value
	}
	measured, _ := o.ValueAt(f.Path[:strings.LastIndexByte(f.Path, '.')]).(map[string]any)
	for _, one := range measured {
		if number, ok := one.(json.Number); ok && number != "0" {
			return value
		}
	}
	return nil
}

// put sets the value at a path.
func (o Object) put(path string, value any) {
	here, names := map[string]any(o), strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		inner, ok := here[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			here[name] = inner
		}
		here = inner
	}
	here[names[len(names)-1]] = value
}

// Text returns a value as the form shows it.
func (f Field) Text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []any:
		if f.Kind == "pairs" {
			if lines, ok := pairLines(pairNames[f.Path], value); ok {
				return lines
			}
			break // as JSON, which keeps everything
		}
		var lines []string
		for _, item := range value {
			if picture, ok := item.(map[string]any); ok {
				item = picture["imageUrl"]
			}
			lines = append(lines, fmt.Sprint(item))
		}
		return strings.Join(lines, "\n")
	case map[string]any:
	default:
		return fmt.Sprint(value)
	}
	if written, err := json.MarshalIndent(value, "", "  "); err == nil && string(written) != "{}" && string(written) != "[]" {
		return string(written)
	}
	return ""
}

// value parses a form's text; nil clears the field. The error is for people.
func (f Field) value(text string) (any, error) {
	if f.Kind == "flag" {
		return text == "true", nil
	}
	if text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")); text == "" {
		if f.Path == "sort" { // null does not clear it
			return 0, nil
		}
		return nil, nil
	}
	switch f.Kind {
	case "list", "pictures":
		list := []any{}
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if f.Kind == "pictures" {
				list = append(list, map[string]any{"imageUrl": line})
				continue
			}
			list = append(list, line)
		}
		return list, nil
	case "pairs":
		if !strings.HasPrefix(text, "[") {
			return pairsOf(pairNames[f.Path], text), nil
		}
		return parseJSON(text)
	case "number", "measure", "whole":
		if number := json.Number(text); json.Valid([]byte(text)) && strings.Trim(text, "-+.eE0123456789") == "" {
			return number, nil
		}
		return nil, fmt.Errorf("expected a number such as 12.5")
	}
	return text, nil
}

func parseJSON(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return nil, fmt.Errorf("expected JSON, or nothing")
	}
	return value, nil
}

// Change returns the difference between the form as shown and as sent, as a merge patch. It omits
// unchanged fields, so that it does not undo others' edits.
func Change(groups []Group, given url.Values) (patch Object, wrong []string) {
	patch = Object{}
	for _, g := range groups {
		for _, k := range g.Fields {
			was, text := strings.ReplaceAll(given.Get("was:"+k.Path), "\r\n", "\n"), strings.ReplaceAll(given.Get(k.Path), "\r\n", "\n")
			if was == text || k.Kind == "flag" && (was == "true") == (text == "true") {
				continue
			}
			if k.Kind == "remove" {
				patch.put(k.Path, nil)
				continue
			}
			value, err := k.value(text)
			if err != nil {
				wrong = append(wrong, k.Path+": "+err.Error())
				continue
			}
			patch.put(k.Path, value)
		}
	}
	return patch, wrong
}
