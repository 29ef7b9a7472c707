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

// safetyFlags are the flags that limit what a run does to a partner's platform, and that record it.
type safetyFlags struct {
	ledger           string
	bounds           suite.Bounds
	planOnly, asJSON bool
}

func (f *safetyFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.bounds.ReadOnly, "read-only", false, "hold and book nothing: test only the catalog and availability")
	flags.Var(optionalNumber{&f.bounds.MaxHolds}, "max-holds", fmt.Sprintf("make at most this many holds; rules that need more are inconclusive (default %d, %d with --depth thorough, and more with --explore)", suite.DefaultMaxHolds, suite.ThoroughTimes*suite.DefaultMaxHolds))
	flags.Var(optionalNumber{&f.bounds.MaxBookings}, "max-bookings", fmt.Sprintf("make at most this many bookings; rules that need more are inconclusive (default %d, %d with --depth thorough, and more with --explore)", suite.DefaultMaxBookings, suite.ThoroughTimes*suite.DefaultMaxBookings))
	flags.IntVar(&f.bounds.MaxRPS, "max-rps", 0, "send at most this many calls a second, including concurrent ones (default no limit)")
	flags.StringSliceVar(&f.bounds.Products, "product", nil, "request and book only the products with these `ids`; the whole catalog is still tested")
	flags.StringSliceVar(&f.bounds.Options, "option", nil, "like --product, for options")
	flags.StringVar(&f.bounds.From, "from", "", "request and book only slots from this `date` on, such as 2026-07-01")
	flags.StringVar(&f.bounds.To, "to", "", "request and book only slots up to this `date`")
	flags.BoolVar(&f.planOnly, "plan", false, "print the planned holds and bookings, and stop; reads only the catalog and availability")
	flags.BoolVar(&f.asJSON, "json", false, "with --plan: print it as JSON")
	flags.StringVar(&f.ledger, "ledger", "", "the `file` that records every hold and booking, for 'conformance cleanup' (default ledger.jsonl in the report folder)")
}

func (f safetyFlags) check() error {
	if f.asJSON && !f.planOnly {
		return errors.New("--json needs --plan; the result of a run is in report.json")
	}
	return nil
}

type optionalNumber struct{ n **int }

func (optionalNumber) Type() string { return "number" }

func (c optionalNumber) String() string {
	if c.n == nil || *c.n == nil {
		return ""
	}
	return strconv.Itoa(**c.n)
}

func (c optionalNumber) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("expected a whole number, 0 or more")
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

// newSeeds bounds the seeds that are drawn, so that they are easy to type again.
const newSeeds = 1_000_000

// judgingFlags select the rules to judge, their weight, and what else is played.
type judgingFlags struct {
	labels           string
	rules            []string
	failFast, strict bool
	baseline         string
	depth            string
	lifecycles       int
	seed             uint64
}

func (f *judgingFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.labels, "label", "", "judge only the rules that match this `filter` over ids, levels and endpoints, such as 'reserve && MUST'")
	flags.StringSliceVar(&f.rules, "rule", nil, "judge only the rules with these `ids`; rules that they need run but are not judged")
	flags.BoolVar(&f.failFast, "fail-fast", false, "stop after the first MUST rule that fails")
	flags.StringVar(&f.baseline, "baseline", "", "a YAML `file` of known failures, which do not count; a stale entry fails the run (exit 1)")
	flags.BoolVar(&f.strict, "strict", false, "an inconclusive rule makes the verdict incomplete (exit 3)")
	flags.StringVar(&f.depth, "depth", "standard", "how many products, slots, parties and orders of calls each rule is judged on: quick, standard or thorough")
	flags.IntVar(&f.lifecycles, "explore", 0, fmt.Sprintf("also run `N` random booking lifecycles, at most %d; a failing one is reduced to its shortest form", suite.MostLifecycles))
	flags.Uint64Var(&f.seed, "seed", 0, "the `seed` of the random lifecycles, to repeat them (default random)")
}

// apply sets the flags in the configuration, which must be complete otherwise. It draws a seed if
// none is given.
func (f *judgingFlags) apply(config *suite.Config) (err error) {
	if f.seed > 0 && f.lifecycles == 0 {
		return fmt.Errorf("--seed %d requires --explore N", f.seed)
	}
	config.Explore, config.Seed = f.lifecycles, cmp.Or(f.seed, 1+rand.Uint64N(newSeeds))
	config.Depth = f.depth
	config.LabelFilter, config.Rules, config.FailFast, config.Strict = f.labels, f.rules, f.failFast, f.strict
	if f.baseline != "" {
		if config.Baseline, err = baseline.Read(f.baseline); err != nil {
			return err
		}
	}
	return config.Check()
}

// The flags with the key, and with the name of the environment variable that has it.
const (
	authKeyFlag    = "auth-key"
	authKeyEnvFlag = "auth-key-env"
)

type targetFlags struct {
	baseURL, authType, authKey, authKeyEnv, clockURL, caFile string
	publicOnly                                               bool
}

const authTypeUsage = "how the key is sent: bearer (\"Bearer <key>\") or api_key (the key alone)"

// register adds all flags except --auth-type, whose default differs between commands.
func (f *targetFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.baseURL, "base-url", "", "the partner's base `URL`")
	flags.StringVar(&f.authKey, authKeyFlag, "", "the `key` that the partner registered; prefer the environment variable "+probe.KeyVariable)
	flags.StringVar(&f.authKeyEnv, authKeyEnvFlag, probe.KeyVariable, "the environment `variable` that holds the key")
	flags.StringVar(&f.clockURL, "clock-url", "", "a `URL` that reads and moves the partner's clock, to test the expiry of holds")
	flags.StringVar(&f.caFile, "ca-file", "", "a PEM `file` of certificate authorities to trust in addition to the system's")
	flags.BoolVar(&f.publicOnly, "public-only", false, "call only public addresses: refuse addresses of this machine and of private networks, even if a name resolves to them")
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

// largestBundle is the largest file of certificates, in bytes. The system's own is a quarter of a
// megabyte.
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

// parseAddress parses the address of a server. Its errors do not show the address, because secrets
// are often pasted into addresses.
func parseAddress(text string) (*url.URL, error) {
	const want = "expected an http:// or https:// address"
	address, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("is not a URL (%s): %s", flaw(err), want)
	case address.User != nil:
		return nil, fmt.Errorf("contains a user or a password: set the key in %s; %s", probe.KeyVariable, want)
	case address.Scheme != "http" && address.Scheme != "https":
		return nil, errors.New("does not begin with http:// or https://")
	case address.Hostname() == "":
		return nil, errors.New("has no host: " + want)
	case !isPort(address.Port()):
		return nil, errors.New("has an invalid port, expected 1 to 65535: " + want)
	}
	return address, nil
}

func flaw(err error) string {
	var escape url.EscapeError
	var host url.InvalidHostError
	switch text := err.Error(); {
	case errors.As(err, &escape):
		return "invalid percent-encoding"
	case errors.As(err, &host):
		return "invalid character in the host"
	case strings.Contains(text, "control character"):
		return "it contains a control character, such as a line break"
	case strings.Contains(text, "invalid port"):
		return "the port is not a number"
	default:
		return "it cannot be parsed"
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
	return "", fmt.Errorf("--auth-type %q: expected bearer or api_key", text)
}

// checkKey checks that the key is valid in a header. The error never shows it.
func (f targetFlags) checkKey() error {
	key := f.key()
	switch {
	case key == "" && f.authKeyEnv == "":
		return errors.New("--auth-key-env is empty: leave it out to use " + probe.KeyVariable)
	case key == "":
		return errors.New("the key is missing: set " + f.authKeyEnv + ", or give --auth-key")
	case strings.ContainsFunc(key, unicode.IsControl):
		return errors.New("the key contains a control character, such as a line break: check how it was copied")
	case strings.TrimSpace(key) != key:
		return errors.New("the key begins or ends with a space: check how it was copied")
	}
	return nil
}
