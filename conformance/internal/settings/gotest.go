package settings

import (
	"fmt"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/suite"
)

// commandOnly are the flags of `conformance run` that are about the command's own output.
var commandOnly = []string{"plan", "json", "verbose", "progress", "await-ledger", "watch", "watch-path"}

// FromEnvironment returns the settings and the configuration of a run in a Go test, which has no flags
// of its own: variables, and a settings file, set what the flags of the command would. Without a
// report-dir, ReportDir is "". The error names the variable.
func FromEnvironment(environment Environment) (*Run, suite.Config, error) {
	for _, name := range commandOnly {
		if environment.Get(variable(name)) != "" {
			return nil, suite.Config{}, fmt.Errorf("%s is a setting of the command 'conformance run' alone: use Ginkgo's own flags, such as --dry-run, -v and --json-report", variable(name))
		}
	}
	r := &Run{}
	flags := r.flags(environment)
	r.ReportDir = ""
	config, err := r.read(flags)
	return r, config, err
}

// FromFlags returns the configuration of a run with these flags, and variables of the environment for
// the others.
func FromFlags(args []string, environment Environment) (suite.Config, error) {
	r := &Run{}
	flags := r.flags(environment)
	if err := flags.Parse(args); err != nil {
		return suite.Config{}, err
	}
	return r.read(flags)
}

func (r *Run) flags(environment Environment) *pflag.FlagSet {
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	r.Environment = environment
	r.Register(flags)
	return flags
}

func (r *Run) read(flags *pflag.FlagSet) (suite.Config, error) {
	config, _, err := r.Config(Sources(flags, r.Environment, func() *pflag.FlagSet { return new(Run).flags(nil) }))
	return config, err
}
