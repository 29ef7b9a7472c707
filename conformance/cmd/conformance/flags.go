package main

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/baseline"
	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/suite"
	"partnerkit.dev/schemas/partnerapi"
)

// safetyFlags are the flags that bound what a run does to a partner's platform,
// and keep account of it, as given.
type safetyFlags struct {
	ledger           string
	bounds           suite.Bounds
	planOnly, asJSON bool
}

func (f *safetyFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.bounds.ReadOnly, "read-only", false, "hold and book nothing: judge the catalog and availability only")
	flags.Var(count{&f.bounds.MaxHolds}, "max-holds", fmt.Sprintf("make no more than so many holds in all; what does not fit is inconclusive (default %d)", suite.DefaultMaxHolds))
	flags.Var(count{&f.bounds.MaxBookings}, "max-bookings", fmt.Sprintf("make no more than so many bookings in all; what does not fit is inconclusive (default %d)", suite.DefaultMaxBookings))
	flags.IntVar(&f.bounds.MaxRPS, "max-rps", 0, "send no more than so many calls a second, those of races too (default any number)")
	flags.StringSliceVar(&f.bounds.Products, "product", nil, "book, and ask for availability of, the products of these `ids` only; the catalog is judged whole")
	flags.StringSliceVar(&f.bounds.Options, "option", nil, "as --product, for the options of these `ids`")
	flags.StringVar(&f.bounds.From, "from", "", "ask for and book slots of this `date` and later ones only, such as 2026-07-01")
	flags.StringVar(&f.bounds.To, "to", "", "ask for and book slots of this `date` and earlier ones only")
	flags.BoolVar(&f.planOnly, "plan", false, "say what would be held and booked, and where, and stop: only the catalog and availability are read")
	flags.BoolVar(&f.asJSON, "json", false, "with --plan: print it as JSON")
	flags.StringVar(&f.ledger, "ledger", "", "the `file` that keeps account of every hold and booking, for 'conformance cleanup' (default ledger.jsonl in the report folder)")
}

func (f safetyFlags) check() error {
	if f.asJSON && !f.planOnly {
		return errors.New("--json goes with --plan; what came of a run is in report.json")
	}
	return nil
}

type count struct{ n **int }

func (count) Type() string { return "number" }

func (c count) String() string {
	if c.n == nil || *c.n == nil {
		return ""
	}
	return strconv.Itoa(**c.n)
}

func (c count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("want a whole number, 0 or more")
	}
	*c.n = &n
	return nil
}

func (f safetyFlags) ledgerName(reportDir string) string {
	return cmp.Or(f.ledger, filepath.Join(reportDir, "ledger.jsonl"))
}

func (f safetyFlags) beginLedger(config suite.Config, reportDir string) (*ledger.Ledger, error) {
	name := f.ledgerName(reportDir)
	begun, err := ledger.Create(name, ledger.Head{
		BaseURL: config.BaseURL.String(), AuthType: config.AuthType, SuiteVersion: config.Version,
	}, config.AuthKey)
	switch {
	case errors.Is(err, ledger.ErrPending):
		return nil, fmt.Errorf("the ledger %w: run 'conformance cleanup %s' first, or name another file with --ledger", err, name)
	case err != nil:
		return nil, fmt.Errorf("the ledger %w: name another file with --ledger", err)
	}
	return begun, nil
}

// newSeeds bounds the seeds that are drawn: they are to be typed again.
const newSeeds = 1_000_000

// judgingFlags say which rules are judged, what weighs how much, and what is played besides.
type judgingFlags struct {
	labels           string
	rules            []string
	failFast, strict bool
	baseline         string
	stories          int
	seed             uint64
}

func (f *judgingFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.labels, "label", "", "judge only the rules that fit this `filter` over ids, levels and endpoints, such as 'reserve && MUST'")
	flags.StringSliceVar(&f.rules, "rule", nil, "judge only the rules of these `ids`; what they need is run, and not judged")
	flags.BoolVar(&f.failFast, "fail-fast", false, "judge nothing more after the first MUST rule that failed")
	flags.StringVar(&f.baseline, "baseline", "", "a YAML `file` of known failures, each with its reason, that do not count; a stale one fails the run (exit 1)")
	flags.BoolVar(&f.strict, "strict", false, "an inconclusive rule makes the verdict incomplete (exit 3)")
	flags.IntVar(&f.stories, "explore", 0, fmt.Sprintf("play `N` random lifecycles besides, at most %d; one that breaks is cut down to its shortest form", suite.MostStories))
	flags.Uint64Var(&f.seed, "seed", 0, "the `seed` of the random lifecycles, which plays the same ones again (one is drawn)")
}

// apply enters the flags into the configuration, which has all others already. Where no
// seed is given it draws one.
func (f *judgingFlags) apply(config *suite.Config) (err error) {
	if f.seed > 0 && f.stories == 0 {
		return fmt.Errorf("--seed %d goes with --explore N", f.seed)
	}
	config.Explore, config.Seed = f.stories, cmp.Or(f.seed, 1+rand.Uint64N(newSeeds))
	config.LabelFilter, config.Rules, config.FailFast, config.Strict = f.labels, f.rules, f.failFast, f.strict
	if f.baseline != "" {
		if config.Baseline, err = baseline.Read(f.baseline); err != nil {
			return err
		}
	}
	return config.Check()
}

// The flags that hold the key, and the name of the variable that does.
const (
	authKeyFlag    = "auth-key"
	authKeyEnvFlag = "auth-key-env"
)

type targetFlags struct{ baseURL, authType, authKey, authKeyEnv, clockURL, caFile string }

const authTypeUsage = "how the key is sent: bearer (\"Bearer <key>\") or api_key (the key alone)"

// register adds the flags but for --auth-type, whose default is not the same
// everywhere.
func (f *targetFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.baseURL, "base-url", "", "the partner's `address`; the endpoints lie below it")
	flags.StringVar(&f.authKey, authKeyFlag, "", "the `key` that the partner registered; better set "+probe.KeyVariable)
	flags.StringVar(&f.authKeyEnv, authKeyEnvFlag, probe.KeyVariable, "the environment `variable` that holds the key")
	flags.StringVar(&f.clockURL, "clock-url", "", "an `address` where the target's clock is read and moved, so that the expiry of holds can be judged")
	flags.StringVar(&f.caFile, "ca-file", "", "a PEM `file` of certificate authorities to trust besides the system's")
}

type target struct {
	baseURL  *url.URL
	authType partnerapi.AuthType
	roots    *x509.CertPool
}

func (f targetFlags) check() (t target, err error) {
	if t.baseURL, err = parseBaseURL(f.baseURL); err != nil {
		return t, err
	}
	if t.authType, err = parseAuthType(f.authType); err != nil {
		return t, err
	}
	if err = f.checkKey(); err != nil {
		return t, err
	}
	if err = parseClockURL(f.clockURL); err != nil {
		return t, err
	}
	t.roots, err = f.roots()
	return t, err
}

func (f targetFlags) key() string { return cmp.Or(f.authKey, os.Getenv(f.authKeyEnv)) }

// largestBundle bounds a file of certificates, in bytes; the system's own have
// a quarter of a megabyte.
const largestBundle = 16 << 20

func (f targetFlags) roots() (*x509.CertPool, error) {
	if f.caFile == "" {
		return nil, nil
	}
	text, err := readAtMost(f.caFile, largestBundle)
	if err != nil {
		return nil, fmt.Errorf("--ca-file %s cannot be read (%w): give a PEM file of certificates", f.caFile, fileerror.Reason(err))
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--ca-file %s holds no certificate: give a PEM file, with -----BEGIN CERTIFICATE----- in it", f.caFile)
	}
	return pool, nil
}

// parseBaseURL checks a partner's address as registration would.
func parseBaseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("--base-url is missing: give the partner's address, such as --base-url https://partner.example/api")
	}
	address, err := parseAddress(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--base-url %w, such as https://partner.example/api", err)
	case address.RawQuery != "" || address.ForceQuery || strings.Contains(text, "#"):
		return nil, errors.New("--base-url has a query or a fragment: paths are joined below it, so leave out what begins with ? or #")
	}
	return address, nil
}

func parseClockURL(text string) error {
	if text == "" {
		return nil
	}
	if _, err := parseAddress(text); err != nil {
		return fmt.Errorf("--clock-url %w, such as http://127.0.0.1:8081/_mock/clock", err)
	}
	return nil
}

// parseAddress reads the address of a server. Its errors say what it is not,
// and do not show it: secrets are often pasted into addresses.
func parseAddress(text string) (*url.URL, error) {
	const want = "want an http:// or https:// address"
	address, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("is no URL (%s): %s", flaw(err), want)
	case address.User != nil:
		return nil, fmt.Errorf("holds a user or a password, where the key goes into %s: %s", probe.KeyVariable, want)
	case address.Scheme != "http" && address.Scheme != "https":
		return nil, errors.New("has no http:// or https:// in front: " + want)
	case address.Hostname() == "":
		return nil, errors.New("has no host: " + want)
	case !isPort(address.Port()):
		return nil, errors.New("has a port that is none, want 1 to 65535: " + want)
	}
	return address, nil
}

func flaw(err error) string {
	var escape url.EscapeError
	var host url.InvalidHostError
	switch text := err.Error(); {
	case errors.As(err, &escape):
		return "an escape that begins with % is none"
	case errors.As(err, &host):
		return "the host holds a character that none can"
	case strings.Contains(text, "control character"):
		return "it holds a line break or another control character"
	case strings.Contains(text, "invalid port"):
		return "the port is no number"
	default:
		return "it cannot be taken apart"
	}
}

func isPort(port string) bool {
	number, err := strconv.Atoi(port)
	return port == "" || err == nil && number >= 1 && number <= 65535
}

func parseAuthType(text string) (partnerapi.AuthType, error) {
	if authType := partnerapi.AuthType(text); slices.Contains(partnerapi.AuthTypes(), authType) {
		return authType, nil
	}
	return "", fmt.Errorf("--auth-type %q: want bearer or api_key", text)
}

// checkKey checks that the key can stand in a header. The error never shows it.
func (f targetFlags) checkKey() error {
	key := f.key()
	switch {
	case key == "" && f.authKeyEnv == "":
		return errors.New("--auth-key-env names no variable: leave it out for " + probe.KeyVariable)
	case key == "":
		return errors.New("the key is missing: set " + f.authKeyEnv + ", or give --auth-key")
	case strings.ContainsFunc(key, unicode.IsControl):
		return errors.New("the key holds a line break or another control character, which no header can carry: check how it was copied")
	case strings.TrimSpace(key) != key:
		return errors.New("the key begins or ends with a space: check how it was copied")
	}
	return nil
}
