package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Settings fills the flags that the command line does not give, from the environment and from a
// YAML file. The file can set any flag by its name. A flag is therefore the only declaration of a
// setting: its name, kind, default and description.
//
// The order of precedence is: the command line, the environment, the profile in the file, the
// settings for all profiles in the file, and the flag's default. A flag counts as changed only if
// the command line gives it.
type Settings struct {
	Flags    *pflag.FlagSet
	Variable func(flag string) string                     // returns a flag's environment variable, or ""
	Lookup   func(variable string) (text string, ok bool) // reads the environment; nil means os.LookupEnv
	File     *SettingsFile                                // nil if there is no file
}

// VariableNames returns a function that names the variable of a flag: the prefix, and the flag's name in
// capitals.
func VariableNames(prefix string) func(flag string) string {
	return func(flag string) string { return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")) }
}

// Apply fills the flags. It returns the source of a file's settings, such as "conformance.yaml,
// profile staging", or "" if no file was read. It also returns every mistake, each in one line. The
// value of a variable may be a secret, and is not shown.
func (s Settings) Apply() (source string, wrong []error) {
	read, err := s.read()
	if err != nil {
		return "", []error{err}
	}
	profile, _ := s.flagValue(profileFlag)
	chosen, source, err := s.File.choose(read, profile)
	if err != nil {
		return "", []error{err}
	}
	s.Flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed || !s.File.isSettable(flag) {
			return
		}
		if text, ok := s.variable(flag.Name); ok {
			if flag.Value.Set(text) != nil {
				wrong = append(wrong, fmt.Errorf("%s: expected %s", s.Variable(flag.Name), describeKind(flag)))
			}
		} else if node, ok := chosen[flag.Name]; ok {
			err := s.File.checkTrusted(read, flag, node)
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

// Profiles returns the names of the file's profiles, in alphabetical order. It returns nil if the
// file cannot be read.
func (s Settings) Profiles() []string {
	read, err := s.read()
	if err != nil || read == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(read.profiles))
}

// read reads the settings file. It returns nil if there is no file.
func (s Settings) read() (*readSettings, error) {
	if s.File == nil {
		return nil, nil
	}
	return s.File.read(s.flagValue(configFlag))
}

// variable returns a flag's value from the environment, and reports whether it is set.
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

// flagValue returns a flag's value from the command line or the environment, and reports whether it is
// set in either.
func (s Settings) flagValue(name string) (string, bool) {
	if flag := s.Flags.Lookup(name); flag == nil {
		return "", false
	} else if flag.Changed {
		return flag.Value.String(), true
	}
	return s.variable(name)
}
