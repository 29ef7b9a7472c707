package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Settings fills the flags of a command that the command line does not give: from the
// environment, and from a YAML file that names whatever there is a flag for. So a flag is
// the one declaration of a setting: its name, kind, default and words.
//
// The command line takes precedence over the environment, that over the profile of the file,
// that before what the file says for all profiles, and that before a flag's default.
// A flag counts as changed only where the command line gives it.
type Settings struct {
	Flags    *pflag.FlagSet
	Variable func(flag string) string                     // the environment's name of a flag; "": it has none
	Lookup   func(variable string) (text string, ok bool) // reads the environment; nil: os.LookupEnv
	File     *SettingsFile                                // nil if there is no file
}

// Prefixed names the variable of every flag: the prefix, and the flag's name in capitals.
func Prefixed(prefix string) func(flag string) string {
	return func(flag string) string { return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")) }
}

// Apply fills the flags. It returns where the settings of a file came from, such as
// "conformance.yaml, profile staging", or "" where no file was read, and every mistake, in
// one line each. What is in a variable may be a secret, and is not shown.
func (s Settings) Apply() (source string, wrong []error) {
	read, err := s.read()
	if err != nil {
		return "", []error{err}
	}
	profile, _ := s.given(profileFlag)
	chosen, source, err := s.File.choose(read, profile)
	if err != nil {
		return "", []error{err}
	}
	s.Flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed || !s.File.settable(flag) {
			return
		}
		if text, ok := s.variable(flag.Name); ok {
			if flag.Value.Set(text) != nil {
				wrong = append(wrong, fmt.Errorf("%s: expected %s", s.Variable(flag.Name), wanted(flag)))
			}
		} else if node, ok := chosen[flag.Name]; ok {
			err := s.File.trusted(read, flag, node)
			if err == nil {
				err = read.set(flag, node)
			}
			if err != nil {
				wrong = append(wrong, err)
			}
		}
	})
	return source, wrong
}

// Profiles returns the names of the profiles of the file, in alphabetical order; none
// where it cannot be read.
func (s Settings) Profiles() []string {
	read, err := s.read()
	if err != nil || read == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(read.profiles))
}

// read reads the settings file; there may be none.
func (s Settings) read() (*readSettings, error) {
	if s.File == nil {
		return nil, nil
	}
	return s.File.read(s.given(configFlag))
}

// variable returns what the environment says of a flag, and whether it does.
func (s Settings) variable(flag string) (string, bool) {
	name, lookup := s.Variable(flag), s.Lookup
	if lookup == nil {
		lookup = os.LookupEnv
	}
	if name == "" {
		return "", false
	}
	return lookup(name)
}

// given returns what the command line or the environment says of a flag, and whether
// either does.
func (s Settings) given(name string) (string, bool) {
	if flag := s.Flags.Lookup(name); flag == nil {
		return "", false
	} else if flag.Changed {
		return flag.Value.String(), true
	}
	return s.variable(name)
}
