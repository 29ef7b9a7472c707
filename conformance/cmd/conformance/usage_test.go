package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/rule"
)

// secret stands in the places into which people paste keys by mistake.
const secret = "sEcret-That-no-one-may-see"

// misuse is a way to use the command wrongly.
type misuse struct {
	name string
	args []string
	key  string // in the environment; "" is the valid one, none is no key
	want string // what the one line says
}

const none = "none"

func TestEveryMisuseIsOneLineThatSaysWhatToDoAndExit2(t *testing.T) {
	t.Parallel()
	partner := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("want no request of a run that is not understood, got %s %s", r.Method, r.URL)
	})
	for _, wrong := range misuses(t, partner) {
		t.Run(wrong.name, func(t *testing.T) {
			t.Parallel()
			environment := []string{probe.KeyVariable + "=" + wrong.key}
			switch wrong.key {
			case "":
				environment = []string{probe.KeyVariable + "=" + secret}
			case none:
				environment = nil
			}
			r := start(t, environment, wrong.args...).wait(t)
			if r.code != 2 {
				t.Errorf("want exit 2, got %d", r.code)
			}
			if lines := strings.Count(r.stderr, "\n"); lines != 1 || !strings.HasPrefix(r.stderr, "conformance: ") {
				t.Errorf("want one line that begins with \"conformance: \", got %d: %q", lines, r.stderr)
			}
			if !strings.Contains(r.stderr, wrong.want) {
				t.Errorf("want it to say %q, got %q", wrong.want, r.stderr)
			}
			if r.stdout != "" || len(r.files(t)) != 0 {
				t.Errorf("want nothing else written, got %q and %v", r.stdout, r.files(t))
			}
			if strings.Contains(strings.ToLower(r.stderr), strings.ToLower(secret)) {
				t.Errorf("want the key nowhere, got %q", r.stderr)
			}
		})
	}
}

func misuses(t *testing.T, partner string) []misuse {
	all := badAddresses()
	all = append(all, badKeys(partner)...)
	all = append(all, badFiles(t, partner)...)
	all = append(all, badFlags(partner)...)
	all = append(all, badBounds(partner)...)
	all = append(all, badLedgers(t, partner)...)
	all = append(all, badSelftests()...)
	all = append(all, badVerifications(t)...)
	return append(all, badCommands()...)
}

func badVerifications(t *testing.T) []misuse {
	empty := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return []misuse{
		{name: "verify of nothing", args: []string{"verify"}, want: "expected the path of one report or certificate, received 0"},
		{name: "verify of two reports", args: []string{"verify", empty, empty}, want: "expected the path of one report or certificate, received 2"},
		{name: "verify of a file that is not there", args: []string{"verify", empty + "x"}, want: "cannot be read: no such file or directory"},
		{name: "verify of a folder", args: []string{"verify", filepath.Dir(empty)}, want: "cannot be read: is a directory"},
		{name: "verify of an empty file", args: []string{"verify", empty}, want: "is not a report.json of this suite"},
		{name: "verify of a report by a key", args: []string{"verify", empty, "--sha256", strings.Repeat("0", 64), "--key", empty}, want: "--key is for certificates and --sha256 is for reports"},
		{name: "verify by no sum", args: []string{"verify", empty, "--sha256", secret}, want: "expected the 64 hexadecimal digits that the run printed"},
	}
}

func badAddresses() []misuse {
	var all []misuse
	for _, bad := range []struct{ url, want string }{
		{"", "--base-url is missing: give the partner's address"},
		{"partner.example/api", "does not begin with http:// or https://"},
		{" https://partner.example", "expected an http:// or https:// address"},
		{"ftp://partner.example", "does not begin with http:// or https://"},
		{"https://", "has no host"},
		{"https://someone:" + secret + "@partner.example", probe.KeyVariable},
		{"https://" + secret + "@partner.example", probe.KeyVariable},
		{"ftp://" + secret + "@partner.example", probe.KeyVariable},
		{"https://someone:" + secret, "the port is not a number"},
		{"https://partner.example?key=" + secret, "has a query or a fragment"},
		{"https://partner.example#" + secret, "has a query or a fragment"},
		{"https://partner.example:65536", "expected 1 to 65535"},
		{"https://partner.example:https", "the port is not a number"},
		{"https://part\nner.example", "a control character, such as a line break"},
		{"https://partner.example/%zz", "invalid percent-encoding"},
		{"https://part ner.example", "invalid character in the host"},
		{"https://[::1", "is not a URL"},
	} {
		all = append(all, misuse{name: "base URL " + bad.url, args: []string{"run", "--base-url", bad.url}, want: bad.want})
	}
	for _, bad := range []struct{ url, want string }{
		{"clock", "does not begin with http:// or https://"},
		{"ftp://partner.example/clock", "does not begin with http:// or https://"},
		{"https://", "has no host"},
		{"https://someone:" + secret + "@partner.example/clock", "contains a user or a password"},
	} {
		all = append(all, misuse{name: "clock URL " + bad.url, args: []string{"run", "--base-url", "https://partner.example", "--clock-url", bad.url}, want: "--clock-url " + bad.want})
	}
	return all
}

func badKeys(partner string) []misuse {
	run := []string{"run", "--base-url", partner}
	const broken = "a control character, such as a line break"
	return []misuse{
		{name: "no key", args: run, key: none, want: "the key is missing: set " + probe.KeyVariable + ", or give --auth-key"},
		{name: "a key with a line break in it", args: run, key: secret[:9] + "\n" + secret[9:], want: broken},
		{name: "a key with a line break behind it", args: run, key: secret + "\n", want: broken},
		{name: "a key with a space before it", args: run, key: " " + secret, want: "begins or ends with a space"},
		{name: "a key with a space behind it, given as a flag", args: append(run, "--auth-key", secret+" "), key: none, want: "begins or ends with a space"},
		{name: "a key in a variable that is not set", args: append(run, "--auth-key-env", "STAGING_KEY"), want: "the key is missing: set STAGING_KEY, or give --auth-key"},
		{name: "a key in a variable of no name", args: append(run, "--auth-key-env", ""), want: "--auth-key-env is empty"},
		{name: "auth type basic", args: append(run, "--auth-type", "basic"), want: `--auth-type "basic": expected bearer or api_key`},
		{name: "the key as auth type", args: append(run, "--auth-type", secret), want: "expected bearer or api_key"},
	}
}

func badFiles(t *testing.T, partner string) []misuse {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("file", "a file")
	run := []string{"run", "--base-url", partner}
	return []misuse{
		{name: "a CA file that is missing", args: append(run, "--ca-file", filepath.Join(dir, "missing")), want: "cannot be read (no such file or directory): give a PEM file"},
		{name: "a CA file that is a folder", args: append(run, "--ca-file", dir), want: "cannot be read (is a directory): give a PEM file"},
		{name: "a CA file without a certificate", args: append(run, "--ca-file", file), want: "holds no certificate: give a PEM file"},
		{name: "a baseline that is missing", args: append(run, "--baseline", filepath.Join(dir, "known.yaml")), want: "known.yaml cannot be read: no such file or directory"},
		{name: "a baseline of words", args: append(run, "--baseline", file), want: "file:1: expected a list of known failures"},
		{name: "a baseline with the key in it", args: append(run, "--baseline", write("keyed", "- rule: reserve.status\n  reason: x\n  until: "+secret)), want: "keyed:1: reserve.status is known until"},
		{name: "a file of settings that is missing", args: append(run, "--config", filepath.Join(dir, "other.yaml")), want: "other.yaml cannot be read: no such file or directory"},
		{name: "a file of settings with a mistyped one", args: append(run, "--config", write("mistyped", "strict: true\nlable: reserve\n")), want: `mistyped:2: there is no setting "lable" (did you mean label?)`},
		{name: "a file of settings with the key in it", args: append(run, "--config", write("settings", "auth-key: "+secret)), want: "settings:1: auth-key is not allowed in a file: set " + probe.KeyVariable},
		{name: "a file of settings with a flaw", args: append(run, "--config", write("flawed", "max-rps: -1")), want: "expected 1 or more calls a second (settings from " + filepath.Join(dir, "flawed") + ")"},
		{name: "a profile without a file", args: append(run, "--profile", "staging"), want: "there is no conformance.yaml here; name the file with --config"},
		{name: "an unknown profile", args: append(run, "--profile", "stagin", "--config", write("profiles", "profiles: {staging: {}}")), want: `there is no profile "stagin" (did you mean staging?)`},
		{name: "a report folder below a file", args: append(run, "--report-dir", filepath.Join(file, "reports")), want: "cannot be written (not a directory): name another folder"},
		{name: "a report folder with a line break below a file", args: append(run, "--report-dir", filepath.Join(file, "a\nb")), want: "name another folder"},
		{name: "a report folder without a name", args: append(run, "--report-dir", ""), want: "name another folder"},
	}
}

func badFlags(partner string) []misuse {
	run := func(args ...string) []string { return append([]string{"run", "--base-url", partner}, args...) }
	const lists = "'conformance run --help' lists the flags"
	return []misuse{
		{name: "a label filter that breaks off", args: run("--label", "reserve &&"), want: "cannot be read: expected names joined by && and ||"},
		{name: "a label filter that fits no rule", args: run("--label", "reserved"), want: "fits no rule: expected ids as 'conformance rules' lists them"},
		{name: "a mistyped rule", args: run("--rule", "reserve.status,reserve.vacancie.one"), want: `there is no rule "reserve.vacancie.one" (did you mean reserve.vacancies.one`},
		{name: "a choice of no rule", args: run("--rule", ""), want: "no rule is named"},
		{name: "a rule that the label filter leaves out", args: run("--rule", "reserve.status", "--label", "confirm"), want: "matches none of the named rules"},
		{name: "an invalid duration", args: run("--max-duration", "soon"), want: lists},
		{name: "no duration", args: run("--max-duration", "0s"), want: "--max-duration 0s is too short: expected at least 1s"},
		{name: "a report that there is not", args: run("--reports", "report.pdf"), want: `--reports "report.pdf": expected some of report.json`},
		{name: "a limit scale of nothing", args: run("--limit-scale", "0"), want: "expected more than 0, at most 1000"},
		{name: "a limit scale that is not a number", args: run("--limit-scale", "NaN"), want: "expected more than 0, at most 1000"},
		{name: "a limit scale that is a word", args: run("--limit-scale", "half"), want: lists},
		{name: "too many lifecycles", args: run("--explore", "1001"), want: "--explore 1001: expected from 0 to 1000"},
		{name: "fewer lifecycles than none", args: run("--explore", "-1"), want: "--explore -1: expected from 0 to 1000"},
		{name: "a seed of no lifecycle", args: run("--seed", "7"), want: "--seed 7 requires --explore N"},
		{name: "a seed that no reader of JSON keeps", args: run("--explore", "1", "--seed", "9007199254740992"), want: "expected at most 9007199254740991"},
		{name: "an unknown flag", args: run("--fast"), want: "unknown flag: --fast; " + lists},
		{name: "a mistyped key flag", args: run("--auth-kye", secret), want: "unknown flag: --auth-kye; " + lists},
		{name: "a mistyped key flag with an equals sign", args: run("--auth-kye=" + secret), key: none, want: "unknown flag: --auth-kye; " + lists},
		{name: "a flag without its value", args: run("--auth-key"), want: "flag needs an argument: --auth-key; " + lists},
		{name: "a switch that is neither true nor false", args: run("--strict=perhaps"), want: lists},
		{name: "the key in a flag that takes a number", args: run("--limit-scale", secret), want: lists},
		{name: "two mistakes", args: []string{"run", "--base-url", partner, "--clock-url", "clock", "--limit-scale", "7"}, key: "a\nb", want: "the key contains a control character"},
		{name: "an unknown form of progress", args: run("--progress", "xml"), want: `--progress "xml": expected text or json`},
		{name: "a ledger to be copied without progress for programs", args: run("--await-ledger"), want: "--await-ledger needs --progress json"},
		{name: "progress for programs with a plan", args: run("--progress", "json", "--plan"), want: "--progress json cannot be combined with --watch or --plan"},
		{name: "progress for programs with --watch", args: run("--progress", "json", "--watch"), want: "--progress json cannot be combined with --watch or --plan"},
		{name: "an argument", args: run(secret), key: none, want: "conformance run takes no arguments, only flags; 'conformance run --help' shows examples"},
	}
}

func badSelftests() []misuse {
	of := func(args ...string) []string { return append([]string{"selftest"}, args...) }
	return []misuse{
		{name: "a selftest with an unknown defect", args: of("--defect", "hold-without-cod"), want: "there is no defect with this name"},
		{name: "a selftest with an unknown variant", args: of("--variant", "gzipped"), want: "there is no variant with this name"},
		{name: "a selftest with a defect of no name", args: of("--defect", ""), want: "--defect and --variant are empty: give names"},
		{name: "a sample of a complete selftest", args: of("--sample", "6"), want: "--sample 6: expected --fast"},
		{name: "a fast selftest with a defect", args: of("--fast", "--defect", "hold-without-code"), want: "--fast chooses the defects itself"},
		{name: "a selftest without parallel partners", args: of("--parallel", "0"), want: "--parallel 0: expected 1 to 64"},
		{name: "a selftest of too many parallel partners", args: of("--parallel", "65"), want: "--parallel 65: expected 1 to 64"},
		{name: "a selftest that begins at no time", args: of("--now", "tomorrow"), want: `--now "tomorrow": expected a time such as 2026-06-01T10:00:00Z, or "now"`},
		{name: "an argument of selftest", args: of(secret), want: "conformance selftest takes no arguments"},
		{name: "a selftest without a report folder", args: of("--report-dir", ""), want: "name another folder"},
	}
}

func badCommands() []misuse {
	return []misuse{
		{name: "an unknown command", args: []string{"weigh"}, want: `there is no command "weigh"; 'conformance --help' lists all`},
		{name: "the key as command", args: []string{secret}, want: "'conformance --help' lists all"},
		{name: "an unknown flag of no command", args: []string{"--base-url", "https://partner.example"}, want: "unknown flag: --base-url; 'conformance --help' lists the flags"},
		{name: "help of an unknown command", args: []string{"help", "weigh"}, want: `there is no command "weigh"; 'conformance --help' lists all`},
		{name: "judge of nothing", args: []string{"judge"}, want: "judge: expected one or more recording files, received none"},
		{name: "judge of a file that is missing", args: []string{"judge", "missing.har"}, want: "read missing.har: no such file or directory"},
		{name: "judge of what is no recording", args: []string{"judge", "usage_test.go"}, want: "expected an HTTP archive (HAR), or its entries, one on each line"},
		{name: "a proxy for no partner", args: []string{"proxy"}, want: "--upstream is missing: give the partner's address"},
		{name: "a proxy for what is not an address", args: []string{"proxy", "--upstream", "partner"}, want: "--upstream "},
		{name: "a proxy for an address with a query", args: []string{"proxy", "--upstream", "https://partner.example?key=" + secret}, want: "--upstream has a query or a fragment"},
		{name: "a proxy with half a certificate", args: []string{"proxy", "--upstream", "https://partner.example", "--tls-cert", "a.pem"}, want: "--tls-cert and --tls-key belong together"},
		{name: "a proxy with no room", args: []string{"proxy", "--upstream", "https://partner.example", "--max-waiting", "0"}, want: "--max-waiting 0: expected 1 or more"},
		{name: "diff of one report", args: []string{"diff", "report.json"}, want: "the report.json of an old and a new run, received 1"},
		{name: "diff of a report that is missing", args: []string{"diff", "missing.json", "missing.json"}, want: "missing.json cannot be read: no such file or directory"},
		{name: "diff of what is no report", args: []string{"diff", "usage_test.go", "usage_test.go"}, want: "usage_test.go is not the report.json of a run: invalid JSON at byte"},
		{name: "diff in two forms", args: []string{"diff", "a", "b", "--json", "--markdown"}, want: "cannot be combined"},
		{name: "two lists of rules", args: []string{"rules", "--coverage", "--markdown"}, want: "cannot be combined"},
		{name: "completion of no shell", args: []string{"completion"}, want: "the name of one shell: bash, fish, powershell, zsh"},
		{name: "explain of a mistyped rule", args: []string{"explain", "reserve.vacancie.one"}, want: `there is no rule or clause "reserve.vacancie.one" (did you mean reserve.vacancies.one`},
		{name: "explain of an unknown rule", args: []string{"explain", "zzz"}, want: `there is no rule or clause "zzz"; 'conformance rules' lists all`},
	}
}

func TestHelpOfEveryCommandShowsExamples(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"--help"}, {"help"}, {"run", "--help"}, {"help", "run"}, {"rules", "--help"}, {"selftest", "--help"}, {"explain", "--help"}, {"completion", "--help"}, {"diff", "--help"}, {"judge", "--help"}, {"proxy", "--help"}, {"verify", "--help"}, {"help", "--help"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			r := start(t, nil, args...).wait(t)
			if r.code != 0 || r.stderr != "" {
				t.Errorf("want exit 0 and no complaint, got %d and %q", r.code, r.stderr)
			}
			if !strings.Contains(r.stdout, "Examples:\n  ") || !strings.Contains(r.stdout, "conformance") {
				t.Errorf("want examples, got\n%s", r.stdout)
			}
			if strings.Contains(r.stdout, "limit-scale") {
				t.Errorf("want --limit-scale hidden, got\n%s", r.stdout)
			}
		})
	}
}

func TestRulesListsTheWholeCatalogue(t *testing.T) {
	t.Parallel()
	r := start(t, nil, "rules").wait(t)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if all := rule.All(); r.code != 0 || len(lines) != len(all) {
		t.Fatalf("want exit 0 and %d lines, got %d and %d", len(all), r.code, len(lines))
	}
	for i, one := range rule.All() {
		if fields := strings.Fields(lines[i]); fields[0] != one.ID || fields[1] != string(one.Level) || fields[2] != one.Clause || !strings.HasSuffix(lines[i], one.Title) {
			t.Errorf("want %s, its level, clause and title, got %q", one.ID, lines[i])
		}
	}
}

func TestRulesWritesTheCatalogueAsAPage(t *testing.T) {
	t.Parallel()
	r := start(t, nil, "rules", "--markdown").wait(t)
	if r.code != 0 || !strings.HasPrefix(r.stdout, "# ") || strings.Count(r.stdout, "\n### ") != len(rule.All()) {
		t.Errorf("want exit 0 and a page with a heading for each rule, got %d and\n%s", r.code, r.stdout)
	}
}

func TestCoverageListsEveryClauseWithItsRulesOrTheReasonWhyThereAreNone(t *testing.T) {
	t.Parallel()
	r := start(t, nil, "rules", "--coverage").wait(t)
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if all := rule.Coverage(); r.code != 0 || len(lines) != len(all) {
		t.Fatalf("want exit 0 and %d lines, got %d and %d", len(all), r.code, len(lines))
	}
	for i, clause := range rule.Coverage() {
		by := "no rule: " + clause.Reason
		if len(clause.Rules) > 0 {
			by = strings.Join(clause.Rules, ", ")
		}
		if !strings.HasPrefix(lines[i], clause.ID+" ") || !strings.HasSuffix(lines[i], "  "+by) {
			t.Errorf("want %s and %q, got %q", clause.ID, by, lines[i])
		}
	}
}

func TestExplainPrintsEverythingAboutARule(t *testing.T) {
	t.Parallel()
	r := start(t, nil, "explain", "reserve.vacancies.many").wait(t)
	one := rule.ReserveVacanciesMany
	if r.code != 0 {
		t.Errorf("want exit 0, got %d", r.code)
	}
	for _, want := range append([]string{one.ID, one.Title, string(one.Level), string(one.Endpoint), one.Clause, one.Why, one.Fix}, one.Needs...) {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("want %q in\n%s", want, r.stdout)
		}
	}
}

func TestExplainTakesAClauseInAnyCaseAndShowsARightAndAWrongAnswer(t *testing.T) {
	t.Parallel()
	r := start(t, nil, "explain", "rsv-3").wait(t)
	for _, want := range []string{"reserve.vacancies.one\n", "reserve.vacancies.many\n", "clause    RSV-3", "right     POST /availability", `"vacancies": 11`, "wrong     POST /availability"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("Expected %q, received\n%s", want, r.stdout)
		}
	}
	if strings.Contains(r.stdout, "reserve.vacancies.mixed\n") {
		t.Error("Expected the rules of the clause alone")
	}
}
