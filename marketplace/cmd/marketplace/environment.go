package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// variable is the environment variable of a flag.
func variable(flag string) string {
	return "MARKETPLACE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// settle has a command's flags that were not given set by their variables, and checked,
// before it runs. Its error names every mistake; what is in a variable may be a secret,
// and is not said.
func settle(command *cobra.Command, mistakes func() []error) {
	command.PreRunE = func(*cobra.Command, []string) error {
		var wrong []error
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			value, set := os.LookupEnv(variable(flag.Name))
			if flag.Changed || !set {
				return
			}
			if err := command.Flags().Set(flag.Name, value); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: want %s", variable(flag.Name), kinds[flag.Value.Type()]))
			}
		})
		if err := joined(append(wrong, mistakes()...)); err != nil {
			return misuse{err}
		}
		return nil
	}
}

// kinds are pflag's types in words.
var kinds = map[string]string{"int": "a whole number", "bool": "true or false", "duration": "a duration such as 60s", "string": "a text", "stringSlice": "texts with commas between them"}

// joined says several mistakes in one line each, and nothing where there are none.
func joined(wrong []error) error {
	if len(wrong) == 0 {
		return nil
	}
	return errors.Join(wrong...)
}
