// Package settings fills the flags of a command from the environment and from a
// YAML file, so that a file names whatever there is a flag for.
//
// The command line stands before the environment, that before the profile of the
// file, that before what the file says for all profiles, and that before a flag's
// default.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/nearest"
)

// DefaultFile is the file that is read where it lies in the working directory.
const DefaultFile = "conformance.yaml"

// The flags that choose the settings, and cannot be settings themselves.
const (
	configFlag  = "config"
	profileFlag = "profile"
)

// Register adds the flags that choose the file and the profile.
func Register(flags *pflag.FlagSet) {
	flags.String(configFlag, "", "a YAML `file` of settings, by the names of these flags; "+DefaultFile+" is read where it lies in the working directory, and none with --config=")
	flags.String(profileFlag, "", "the `name` of the profile in that file that counts")
}

// Target is a command whose flags are to be filled.
type Target struct {
	Flags   *pflag.FlagSet
	Fresh   func() *pflag.FlagSet // makes the same flags anew, to try values on
	Folder  string                // where DefaultFile is looked for; "": the working directory
	Getenv  func(string) string   // reads a variable of the environment
	Prefix  string                // of its variables, such as "CONFORMANCE_"
	Secrets map[string]string     // flags that no file may hold, and what to do instead
}

// Apply fills the flags that the command line does not name. It returns where the
// settings of a file came from, such as "conformance.yaml, profile staging", or ""
// where no file was read. Its errors say in one line what is wrong and where.
func (t Target) Apply() (source string, err error) {
	environment := t.environment()
	path, named := t.chosen(environment, configFlag)
	profile, _ := t.chosen(environment, profileFlag)
	f, err := t.find(path, named)
	if err != nil {
		return "", err
	}
	chosen, err := f.chosen(profile)
	if err != nil {
		return "", err
	}
	var problem error
	t.Flags.VisitAll(func(flag *pflag.Flag) {
		if problem != nil || flag.Changed || !t.settable(flag) {
			return
		}
		if text, ok := environment[flag.Name]; ok {
			if t.Flags.Set(flag.Name, text) != nil {
				problem = fmt.Errorf("%s: %s", t.variable(flag.Name), wants(flag))
			}
			return
		}
		if value, ok := chosen[flag.Name]; ok {
			problem = value.set(t.Flags)
		}
	})
	return f.source(profile), problem
}

// chosen returns what the command line or the environment says of a flag, and
// whether either does.
func (t Target) chosen(environment map[string]string, name string) (string, bool) {
	if flag := t.Flags.Lookup(name); flag.Changed {
		return flag.Value.String(), true
	}
	text, ok := environment[name]
	return text, ok
}

// find reads the file that is named, or the one in the working directory; there may
// be none.
func (t Target) find(path string, named bool) (*file, error) {
	if named && path == "" {
		return nil, nil
	}
	if !named {
		path = filepath.Join(t.Folder, DefaultFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return t.read(path)
}

// environment returns what its variables say of the flags, by name; an empty
// variable says nothing.
func (t Target) environment() map[string]string {
	said := map[string]string{}
	t.Flags.VisitAll(func(flag *pflag.Flag) {
		if _, secret := t.Secrets[flag.Name]; secret || flag.Hidden {
			return
		}
		if text := t.Getenv(t.variable(flag.Name)); text != "" {
			said[flag.Name] = text
		}
	})
	return said
}

// variable is the environment's name of a flag.
func (t Target) variable(flag string) string {
	return t.Prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// settable reports whether a flag can be set from elsewhere than the command line.
func (t Target) settable(flag *pflag.Flag) bool {
	_, secret := t.Secrets[flag.Name]
	return !secret && !flag.Hidden && flag.Name != "help" && flag.Name != configFlag && flag.Name != profileFlag
}

// wants says what kind of value a flag takes.
func wants(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "want true or false"
	case "duration":
		return "want a duration, such as 150s or 5m"
	case "int", "int64", "uint", "uint64":
		return "want a whole number"
	case "float64":
		return "want a number"
	case "stringSlice", "stringArray":
		return "want a list, or names with commas between"
	default:
		return "want one value, as the flag takes it"
	}
}

// unknown is the error of a name that is none of these.
func unknown(kind, name string, names []string) error {
	return fmt.Errorf("there is no %s %.100q%s", kind, name, nearest.Hint(name, names))
}
