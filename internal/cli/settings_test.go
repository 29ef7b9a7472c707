package cli_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"partnerkit.dev/internal/cli"
)

const usualFile = "settings.yaml"

// bench is a command's flags, and where its settings come from.
type bench struct {
	cli.Settings
	environment map[string]string
}

func setup(t *testing.T, file string, arguments ...string) *bench {
	t.Helper()
	fresh := func() *pflag.FlagSet {
		flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
		flags.String("base-url", "default", "")
		flags.String("auth-key", "", "")
		flags.Bool("strict", false, "")
		flags.Duration("max-duration", time.Minute, "")
		flags.Int("max-holds", 0, "")
		flags.Float64("share", 0, "")
		flags.StringSlice("rule", nil, "")
		flags.Bool("secretly", false, "")
		_ = flags.MarkHidden("secretly")
		cli.RegisterFile(flags, usualFile)
		return flags
	}
	b := &bench{environment: map[string]string{}}
	b.Settings = cli.Settings{
		Flags: fresh(), Variable: cli.VariableNames("CONFORMANCE_"),
		Lookup: func(name string) (string, bool) { return b.environment[name], b.environment[name] != "" },
		File: &cli.SettingsFile{
			Default: usualFile, Folder: t.TempDir(), Fresh: fresh, Secrets: map[string]string{"auth-key": "set the variable"},
			Found: []string{"base-url", "strict", "max-duration", "max-holds", "rule", "secretly"},
			Hint:  func(_ string, names []string) string { return fmt.Sprintf(" (of %d)", len(names)) },
		},
	}
	if file != "" {
		check(t, os.WriteFile(b.path(), []byte(file), 0o600))
	}
	check(t, b.Flags.Parse(arguments))
	return b
}

func (b *bench) path() string { return filepath.Join(b.File.Folder, usualFile) }

func (b *bench) apply() (string, error) {
	source, wrong := b.Apply()
	return source, errors.Join(wrong...)
}

// flagText returns the value of a flag as text.
func (b *bench) flagText(flag string) string { return b.Flags.Lookup(flag).Value.String() }

const profiles = `
base-url: common
max-duration: 2m
max-holds: 7
profiles:
  staging:
    base-url: staging
    strict: true
    rule: [a.b, c.d]
  empty:
`

func TestSettingsTakePrecedenceFromCommandLineToEnvironmentProfileCommonSettingsAndDefault(t *testing.T) {
	t.Parallel()
	for _, step := range []struct {
		file, variable string
		arguments      []string
		want           string
	}{
		{want: "default"},
		{file: profiles, want: "common"},
		{file: profiles, arguments: []string{"--profile", "empty"}, want: "common"},
		{file: profiles, arguments: []string{"--profile", "staging"}, want: "staging"},
		{file: profiles, arguments: []string{"--profile", "staging"}, variable: "environment", want: "environment"},
		{file: profiles, arguments: []string{"--profile", "staging", "--base-url", "line"}, variable: "environment", want: "line"},
		{file: profiles, arguments: []string{"--base-url", ""}, variable: "environment", want: ""},
		{file: profiles, arguments: []string{"--config", ""}, want: "default"},
	} {
		b := setup(t, step.file, step.arguments...)
		b.environment["CONFORMANCE_BASE_URL"] = step.variable
		if _, err := b.apply(); err != nil {
			t.Errorf("%v: %v", step.arguments, err)
		}
		if got := b.flagText("base-url"); got != step.want {
			t.Errorf("%v, environment %q: want %q, got %q", step.arguments, step.variable, step.want, got)
		}
	}
}

func TestASettingIsOfTheKindThatItsFlagIs(t *testing.T) {
	t.Parallel()
	b := setup(t, profiles)
	b.environment["CONFORMANCE_PROFILE"] = "staging"
	source, err := b.apply()
	if want := b.path() + ", profile staging"; err != nil || source != want {
		t.Errorf("want the settings from %q, got %q, %v", want, source, err)
	}
	for flag, want := range map[string]string{"strict": "true", "max-duration": "2m0s", "max-holds": "7", "rule": "[a.b,c.d]"} {
		if got := b.flagText(flag); got != want {
			t.Errorf("--%s: want %s, got %s", flag, want, got)
		}
	}
}

func TestTheEnvironmentGivesAListWithCommas(t *testing.T) {
	t.Parallel()
	b := setup(t, profiles, "--profile", "staging")
	b.environment["CONFORMANCE_RULE"] = "x.y,z"
	if _, err := b.apply(); err != nil || b.flagText("rule") != "[x.y,z]" {
		t.Errorf("want the environment's list in place of the file's, got %s, %v", b.flagText("rule"), err)
	}
}

func TestASettingsFileThatIsNamedMustExist(t *testing.T) {
	t.Parallel()
	b := setup(t, "", "--config", filepath.Join(t.TempDir(), "other.yaml"))
	if _, err := b.apply(); err == nil || !strings.Contains(err.Error(), "other.yaml cannot be read: no such file") {
		t.Errorf("want the missing file named, got %v", err)
	}
	b = setup(t, "")
	b.environment["CONFORMANCE_CONFIG"] = setup(t, profiles).path()
	if _, err := b.apply(); err != nil || b.flagText("base-url") != "common" {
		t.Errorf("want the file that the environment names read, got %s, %v", b.flagText("base-url"), err)
	}
}

func TestTheProfilesOfAFileAreListed(t *testing.T) {
	t.Parallel()
	if names := setup(t, profiles).Profiles(); !slices.Equal(names, []string{"empty", "staging"}) {
		t.Errorf("want empty and staging, got %v", names)
	}
	if names := setup(t, "base-url: [").Profiles(); names != nil {
		t.Errorf("want none of a file that cannot be read, got %v", names)
	}
}

func TestAWrongSettingIsOneLineWithItsPlaceAlsoInAProfileThatIsNotChosen(t *testing.T) {
	t.Parallel()
	const secret = "sEcret"
	for name, wrong := range map[string]struct{ file, want string }{
		"a mistyped name":         {"strict: true\nbase-ulr: x", `:2: there is no setting "base-ulr" (of 6)`},
		"a name in a profile":     {"profiles:\n  a:\n    base-ulr: x", `:3: there is no setting "base-ulr"`},
		"a hidden flag":           {"secretly: true", `:1: there is no setting "secretly"`},
		"a file in a file":        {"config: x.yaml", `:1: there is no setting "config"`},
		"a profile in a file":     {"profile: x", `:1: there is no setting "profile"`},
		"the key":                 {"strict: true\nauth-key: " + secret, ":2: auth-key is not allowed in a file: set the variable"},
		"the key in a profile":    {"profiles: {a: {auth-key: " + secret + "}}", ":1: auth-key is not allowed in a file"},
		"a word for a switch":     {"strict: \"yes\"", ":1: strict: expected true or false"},
		"a number for a duration": {"max-duration: 150", ":1: max-duration: expected a duration, such as 150s"},
		"a word for a number":     {"max-holds: " + secret, ":1: max-holds: expected a whole number"},
		"a word for a share":      {"share: " + secret, ":1: share: expected a number"},
		"a list for one value":    {"base-url: [a, b]", ":1: base-url: expected a single value"},
		"a list of lists":         {"rule: [[a]]", ":1: rule: expected a value"},
		"a mapping":               {"rule: {a: b}", ":1: rule: expected a value"},
		"no value":                {"base-url:", ":1: base-url: expected a value, or omit the setting"},
		"no mapping":              {"- base-url", ":1: expected settings by the names of flags"},
		"profiles in a list":      {"profiles: [a]", ":1: expected profiles by their names"},
		"a profile of words":      {"profiles:\n  a: b", `:2: expected the settings of profile "a"`},
		"a setting twice":         {"strict: true\nstrict: true", ":2: "},
	} {
		b := setup(t, wrong.file)
		_, err := b.apply()
		if path := b.path(); err == nil || !strings.HasPrefix(err.Error(), path+wrong.want) {
			t.Errorf("%s: want an error that begins with %q, got %v", name, path+wrong.want, err)
		} else if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: want one line that shows no value, got %q", name, err)
		}
	}
}

func TestAProfileThatIsNotThereIsRefusedWithThoseThatAre(t *testing.T) {
	t.Parallel()
	for _, wrong := range []struct{ file, profile, want string }{
		{profiles, "stagin", `there is no profile "stagin" (of 2)`},
		{profiles, "production", "it has empty, staging"},
		{"strict: true", "staging", "it has none"},
		{"", "staging", "there is no settings.yaml here; name the file with --config"},
	} {
		if _, err := setup(t, wrong.file, "--profile", wrong.profile).apply(); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s: want %q, got %v", wrong.profile, wrong.want, err)
		}
	}
}

func TestAWrongVariableIsNamedWithoutItsValue(t *testing.T) {
	t.Parallel()
	b := setup(t, "")
	b.environment["CONFORMANCE_MAX_DURATION"] = "sEcret"
	if _, err := b.apply(); err == nil || err.Error() != "CONFORMANCE_MAX_DURATION: expected a duration, such as 150s or 5m" {
		t.Errorf("want the variable named, got %v", err)
	}
	b.environment["CONFORMANCE_MAX_HOLDS"] = "sEcret"
	if _, wrong := b.Apply(); len(wrong) != 2 {
		t.Errorf("want both variables named together, got %v", wrong)
	}
	b = setup(t, "")
	b.environment["CONFORMANCE_AUTH_KEY"], b.environment["CONFORMANCE_SECRETLY"] = "sEcret", "true"
	if _, err := b.apply(); err != nil || b.flagText("auth-key") != "" || b.flagText("secretly") != "false" {
		t.Errorf("want the key and hidden flags left to the command line, got %q, %q, %v", b.flagText("auth-key"), b.flagText("secretly"), err)
	}
}

// What lies in a folder may be a stranger's: a repository that was cloned brings its own.
func TestAFileThatWasFoundInTheFolderSetsOnlyWhatIsAllowedToIt(t *testing.T) {
	t.Parallel()
	const file = "strict: true\nshare: 0.5\nprofiles:\n  half:\n    share: 0.25\n  other: {}\n"
	const refused = "share is not read from a file that was found in the working directory: name the file with --config settings.yaml, or use --share"
	for name, run := range map[string]struct {
		arguments []string
		variable  string
		wrong     string // the line that is refused
		share     string
	}{
		"found":                            {wrong: ":2: "},
		"found, in a profile":              {arguments: []string{"--profile", "half"}, wrong: ":5: "},
		"found, and the flag is given":     {arguments: []string{"--share", "0.75"}, share: "0.75"},
		"found, and the variable is given": {variable: "0.75", share: "0.75"},
		"named":                            {arguments: []string{"--config", "FILE"}, share: "0.5"},
		"named, in a profile":              {arguments: []string{"--config", "FILE", "--profile", "half"}, share: "0.25"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, file)
			for i, argument := range run.arguments {
				run.arguments[i] = strings.Replace(argument, "FILE", b.path(), 1)
			}
			check(t, b.Flags.Parse(run.arguments))
			b.environment["CONFORMANCE_SHARE"] = run.variable
			_, err := b.apply()
			switch {
			case run.wrong != "" && (err == nil || err.Error() != b.path()+run.wrong+refused):
				t.Errorf("want %q, got %v", b.path()+run.wrong+refused, err)
			case run.wrong != "" && b.flagText("share") != "0":
				t.Errorf("want the default kept, got %s", b.flagText("share"))
			case run.wrong == "" && (err != nil || b.flagText("share") != run.share):
				t.Errorf("want %s, got %s and %v", run.share, b.flagText("share"), err)
			}
		})
	}
}
