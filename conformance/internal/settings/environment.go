package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/suggest"
)

const prefix = "CONFORMANCE_"

// variable returns the name of a flag's variable: CONFORMANCE_BASE_URL for base-url.
var variable = cli.VariableNames(prefix)

// Environment is the environment of a command, as os.Environ returns it. An empty variable counts as
// not set.
type Environment []string

// Get returns the value of a variable, or "".
func (e Environment) Get(name string) string {
	for _, entry := range slices.Backward(e) { // the last one counts
		if key, value, _ := strings.Cut(entry, "="); key == name {
			return value
		}
	}
	return ""
}

// refuseUnknown returns an error for a variable with the suite's prefix that none of the flags has. A
// misspelled limit must not be ignored. others are variables that have a use of their own.
func (e Environment) refuseUnknown(flags *pflag.FlagSet, others ...string) error {
	var known []string
	flags.VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, variable(flag.Name))
		}
	})
	for _, entry := range e {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, prefix) && value != "" && !slices.Contains(known, name) && !slices.Contains(others, name) {
			return fmt.Errorf("there is no setting %.100q%s; the variable of a flag such as --read-only is %s", name, suggest.Hint(name, known), variable("read-only"))
		}
	}
	return nil
}
