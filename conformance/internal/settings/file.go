package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/yamlfile"
)

// profilesKey is the key of the file that is no flag.
const profilesKey = "profiles"

// file is a file of settings; nil is none.
type file struct {
	path     string
	common   map[string]value
	profiles map[string]map[string]value
}

// value is what a file says of a flag.
type value struct {
	file *yamlfile.File
	node ast.Node
	name string
}

// Profiles returns the names of the profiles of a file, in alphabetical order; none
// where it cannot be read.
func (t Target) Profiles() []string {
	path, named := t.chosen(t.environment(), configFlag)
	f, err := t.find(path, named)
	if err != nil || f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.profiles))
}

// read reads a file, and tries every value in it, those of other profiles too.
func (t Target) read(path string) (*file, error) {
	source, err := yamlfile.Read(path)
	if err != nil {
		return nil, err
	}
	f := &file{path: path, common: map[string]value{}, profiles: map[string]map[string]value{}}
	if source.Root == nil {
		return f, nil
	}
	all, ok := entries(source.Root)
	if !ok {
		return nil, source.At(source.Root, "want settings by the names of flags, such as base-url: https://partner.example/api")
	}
	for _, entry := range all {
		if keyOf(entry) != profilesKey {
			if err := t.enter(source, entry, f.common); err != nil {
				return nil, err
			}
			continue
		}
		profiles, ok := entries(entry.Value)
		if !ok {
			return nil, source.At(entry.Key, "want profiles by their names, each with settings")
		}
		for _, profile := range profiles {
			if f.profiles[keyOf(profile)], err = t.settings(source, profile); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// settings reads the settings of a profile.
func (t Target) settings(source *yamlfile.File, profile *ast.MappingValueNode) (map[string]value, error) {
	into := map[string]value{}
	if profile.Value.Type() == ast.NullType {
		return into, nil
	}
	all, ok := entries(profile.Value)
	if !ok {
		return nil, source.At(profile.Key, "want the settings of profile %q by the names of flags", keyOf(profile))
	}
	for _, entry := range all {
		if err := t.enter(source, entry, into); err != nil {
			return nil, err
		}
	}
	return into, nil
}

// enter tries one setting and keeps it.
func (t Target) enter(source *yamlfile.File, entry *ast.MappingValueNode, into map[string]value) error {
	name := keyOf(entry)
	if instead, secret := t.Secrets[name]; secret {
		return source.At(entry.Key, "%s has no place in a file: %s", name, instead)
	}
	flags := t.Fresh()
	if flag := flags.Lookup(name); flag == nil || !t.settable(flag) {
		var names []string
		flags.VisitAll(func(flag *pflag.Flag) {
			if t.settable(flag) {
				names = append(names, flag.Name)
			}
		})
		return source.At(entry.Key, "%v; a setting is named as its flag is", unknown("setting", name, names))
	}
	said := value{file: source, node: entry.Value, name: name}
	if err := said.set(flags); err != nil {
		return err
	}
	into[name] = said
	return nil
}

// chosen returns the settings of a profile, above those for all; "" is no profile.
func (f *file) chosen(profile string) (map[string]value, error) {
	switch {
	case f == nil && profile == "":
		return nil, nil
	case f == nil:
		return nil, fmt.Errorf("--profile %q: there is no %s here; name the file with --config", profile, DefaultFile)
	case profile == "":
		return f.common, nil
	}
	own, ok := f.profiles[profile]
	if !ok {
		names := slices.Sorted(maps.Keys(f.profiles))
		has := "it has none"
		if len(names) > 0 {
			has = "it has " + strings.Join(names, ", ")
		}
		return nil, fmt.Errorf("--profile: %w in %s; %s", unknown("profile", profile, names), f.path, has)
	}
	all := maps.Clone(f.common)
	maps.Copy(all, own)
	return all, nil
}

// source says where the settings came from.
func (f *file) source(profile string) string {
	switch {
	case f == nil:
		return ""
	case profile == "":
		return f.path
	default:
		return f.path + ", profile " + profile
	}
}

// set gives a flag its value.
func (v value) set(flags *pflag.FlagSet) error {
	flag := flags.Lookup(v.name)
	texts, err := v.texts()
	if err != nil {
		return err
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok && v.node.Type() == ast.SequenceType {
		err = list.Replace(texts)
		flag.Changed = true
	} else if len(texts) != 1 || flag.Value.Type() == "bool" && v.node.Type() != ast.BoolType {
		err = errors.New("of another kind")
	} else {
		err = flags.Set(v.name, texts[0])
	}
	if err != nil {
		return v.file.At(v.node, "%s: %s", v.name, wants(flag))
	}
	return nil
}

// texts returns the value as text, an element of a list each.
func (v value) texts() ([]string, error) {
	list, ok := v.node.(*ast.SequenceNode)
	if !ok {
		text, err := v.text(v.node)
		return []string{text}, err
	}
	texts := []string{}
	for _, node := range list.Values {
		text, err := v.text(node)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (v value) text(node ast.Node) (string, error) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	default:
		return "", v.file.At(node, "%s: want a value, or leave the setting out", v.name)
	}
}

// entries returns the keys of a mapping, and whether it is one.
func entries(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	default:
		return nil, false
	}
}

func keyOf(entry *ast.MappingValueNode) string { return entry.Key.GetToken().Value }
