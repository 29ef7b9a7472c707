package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/spf13/pflag"

	"partnerkit.dev/internal/yamlfile"
)

// The flags that select the file and its profile, and the file's only key that is not a flag.
const (
	configFlag  = "config"
	profileFlag = "profile"
	profilesKey = "profiles"
)

// SettingsFile is the location of a command's settings file, and what it may contain.
type SettingsFile struct {
	Default string                                   // its name in Folder
	Folder  string                                   // the folder of Default; "" means the working directory
	Fresh   func() *pflag.FlagSet                    // creates the command's flags again, to validate values
	Secrets map[string]string                        // flags that the file may not contain, and what to do instead
	Found   []string                                 // the only flags that a file may set that was found in Folder and not named
	Hint    func(name string, names []string) string // completes the error about an unknown name
}

// RegisterFile adds the flags that select the file and the profile.
func RegisterFile(flags *pflag.FlagSet, usual string) {
	flags.String(configFlag, "", "a YAML `file` of settings, by the names of these flags; without it "+usual+" is read from the working directory, with --config= no file")
	flags.String(profileFlag, "", "the `name` of the profile in that file to use")
}

// isSettable reports whether a flag can be set other than on the command line.
func (f *SettingsFile) isSettable(flag *pflag.Flag) bool {
	return !flag.Hidden && flag.Name != "help" && (f == nil || f.Secrets[flag.Name] == "" && flag.Name != configFlag && flag.Name != profileFlag)
}

func (f *SettingsFile) unknownError(kind, name string, names []string) error {
	return fmt.Errorf("there is no %s %.100q%s", kind, name, f.Hint(name, names))
}

// choose returns the file's values for the flags, and their source.
func (f *SettingsFile) choose(read *readSettings, profile string) (chosen map[string]ast.Node, source string, err error) {
	switch {
	case read == nil && profile == "":
		return nil, "", nil
	case read == nil:
		return nil, "", fmt.Errorf("--profile %q: there is no %s here; name the file with --config", profile, f.Default)
	case profile == "":
		return read.common, read.path, nil
	}
	own, ok := read.profiles[profile]
	if !ok {
		names := slices.Sorted(maps.Keys(read.profiles))
		has := "it has none"
		if len(names) > 0 {
			has = "it has " + strings.Join(names, ", ")
		}
		return nil, "", fmt.Errorf("--profile: %w in %s; %s", f.unknownError("profile", profile, names), read.path, has)
	}
	chosen = maps.Clone(read.common)
	maps.Copy(chosen, own)
	return chosen, read.path + ", profile " + profile, nil
}

// read reads the named file, or the one in the folder, and validates every value in it, even those
// of other profiles. It returns nil if there is no file.
func (f *SettingsFile) read(path string, named bool) (*readSettings, error) {
	if !named {
		path = filepath.Join(f.Folder, f.Default)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	} else if path == "" {
		return nil, nil
	}
	source, err := yamlfile.Open(path)
	if err != nil {
		return nil, err
	}
	read := &readSettings{File: source, path: path, named: named, common: map[string]ast.Node{}, profiles: map[string]map[string]ast.Node{}}
	if source.Root == nil {
		return read, nil
	}
	all, ok := source.Root.(ast.MapNode)
	if !ok {
		return nil, source.ErrorAt(source.Root, "expected settings by the names of flags, such as base-url: https://partner.example/api")
	}
	for entry := all.MapRange(); entry.Next(); {
		if name := keyOf(entry); name != profilesKey {
			err = f.enter(read, entry, read.common)
		} else {
			err = f.enterProfiles(read, entry)
		}
		if err != nil {
			return nil, err
		}
	}
	return read, nil
}

func (f *SettingsFile) enterProfiles(read *readSettings, entry *ast.MapNodeIter) error {
	profiles, ok := entry.Value().(ast.MapNode)
	if !ok {
		return read.ErrorAt(entry.Key(), "expected profiles by their names, each with settings")
	}
	for profile := profiles.MapRange(); profile.Next(); {
		own := map[string]ast.Node{}
		read.profiles[keyOf(profile)] = own
		if profile.Value().Type() == ast.NullType {
			continue
		}
		all, ok := profile.Value().(ast.MapNode)
		if !ok {
			return read.ErrorAt(profile.Key(), "expected the settings of profile %q by the names of flags", keyOf(profile))
		}
		for one := all.MapRange(); one.Next(); {
			if err := f.enter(read, one, own); err != nil {
				return err
			}
		}
	}
	return nil
}

// enter validates and stores one setting.
func (f *SettingsFile) enter(read *readSettings, entry *ast.MapNodeIter, into map[string]ast.Node) error {
	name := keyOf(entry)
	if instead := f.Secrets[name]; instead != "" {
		return read.ErrorAt(entry.Key(), "%s is not allowed in a file: %s", name, instead)
	}
	flags := f.Fresh()
	flag := flags.Lookup(name)
	if flag == nil || !f.isSettable(flag) {
		var names []string
		flags.VisitAll(func(flag *pflag.Flag) {
			if f.isSettable(flag) {
				names = append(names, flag.Name)
			}
		})
		return read.ErrorAt(entry.Key(), "%v; each setting has the name of its flag", f.unknownError("setting", name, names))
	}
	into[name] = entry.Value()
	return read.set(flag, entry.Value())
}

func keyOf(entry *ast.MapNodeIter) string { return entry.Key().GetToken().Value }

// readSettings is the file's values for flags, by their names.
type readSettings struct {
	*yamlfile.File
	path     string
	named    bool // by the user; otherwise it was found in the folder and is untrusted
	common   map[string]ast.Node
	profiles map[string]map[string]ast.Node
}

// set sets a flag to the value at the node.
func (r *readSettings) set(flag *pflag.Flag, node ast.Node) error {
	nodes := []ast.Node{node}
	sequence, isList := node.(*ast.SequenceNode)
	if isList {
		nodes = sequence.Values
	}
	texts := []string{}
	for _, one := range nodes {
		text, ok := textOf(one)
		if !ok {
			return r.ErrorAt(one, "%s: expected a value, or omit the setting", flag.Name)
		}
		texts = append(texts, text)
	}
	list, takesList := flag.Value.(pflag.SliceValue)
	var err error
	switch {
	case isList && takesList:
		err = list.Replace(texts)
	case len(texts) != 1 || flag.Value.Type() == "bool" && node.Type() != ast.BoolType:
		err = errors.New("of another kind")
	default:
		err = flag.Value.Set(texts[0])
	}
	if err != nil {
		return r.ErrorAt(node, "%s: expected %s", flag.Name, describeKind(flag))
	}
	return nil
}

// checkTrusted returns an error if the file may not set that flag. A file that was found in the folder
// is untrusted, for example in a cloned repository. Such a file must not set addresses, files or
// variables.
func (f *SettingsFile) checkTrusted(read *readSettings, flag *pflag.Flag, node ast.Node) error {
	if read.named || slices.Contains(f.Found, flag.Name) {
		return nil
	}
	return read.ErrorAt(node, "%s is not read from a file that was found in the working directory: name the file with --%s %s, or use --%[1]s", flag.Name, configFlag, f.Default)
}

// textOf returns a plain value in the form that a flag accepts.
func textOf(node ast.Node) (text string, ok bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	default:
		return "", false
	}
}

// describeKind describes the kind of value that a flag accepts.
func describeKind(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "true or false"
	case "duration":
		return "a duration, such as 150s or 5m"
	case "int", "int64", "uint", "uint64":
		return "a whole number"
	case "float64":
		return "a number"
	case "stringSlice", "stringArray":
		return "a list, or names with commas between"
	default:
		return "a single value, as for the flag"
	}
}
