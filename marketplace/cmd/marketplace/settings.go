package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/pgembed"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/marketplace/internal/worker"
)

// variable returns the environment variable of a flag.
var variable = cli.VariableNames("MARKETPLACE_")

// settle sets a command's missing flags from their environment variables and validates them before
// the command runs.
func settle(command *cobra.Command, checks ...func() []error) {
	cli.Fill(command, cli.Settings{Flags: command.Flags(), Variable: variable}, checks...)
}

// noArguments refuses arguments that are not flags.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.Misuse(fmt.Errorf("expected only flags, received the argument %q; %s --help lists them", args[0], command.CommandPath()))
	}
	return nil
}

type storage struct {
	databaseURL, listenURL, dataDir, npmRegistry string
}

func (s *storage) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&s.databaseURL, "database-url", "", "a PostgreSQL (14 or newer) `address`, such as postgres://user@host/name; without one the service runs a private PostgreSQL in its data folder")
	f.StringVar(&s.listenURL, "database-listen-url", "", "the same database's `address` for what needs a session: notifications and migrations; needed only if --database-url is that of a pooler in transaction mode")
	f.StringVar(&s.npmRegistry, "npm-registry", "", "the `address` of an npm registry, to download the private PostgreSQL once if the machine has none; npm stands for the registry that npm is configured with")
	f.StringVar(&s.dataDir, "data-dir", defaultDataDir(), "the `folder` for the private PostgreSQL and the secret")
	settle(command, s.mistakes)
}

// defaultDataDir is the system's usual folder for data: for root one that PostgreSQL's user can
// reach.
func defaultDataDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/partnerkit-marketplace"
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "partnerkit-marketplace")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "marketplace-data"
	}
	return filepath.Join(home, ".local", "share", "partnerkit-marketplace")
}

func (s *storage) mistakes() (wrong []error) {
	wrong = append(wrong, aboutFlag("--database-url", checkDatabase(s.databaseURL)), aboutFlag("--database-listen-url", checkDatabase(s.listenURL)),
		requireThat(s.listenURL == "" || s.databaseURL != "", "--database-listen-url: expected --database-url too"))
	if address, err := url.Parse(s.npmRegistry); s.npmRegistry != "" && s.npmRegistry != pgembed.FromNPM && (err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "") {
		wrong = append(wrong, errors.New("--npm-registry: expected npm, or an address such as https://registry.example"))
	}
	return append(wrong, requireThat(s.dataDir != "", "--data-dir: expected a folder"))
}

// checkDatabase returns what is wrong with a database's address, which may be missing.
func checkDatabase(address string) error {
	if address == "" {
		return nil
	}
	if at, err := url.Parse(address); err != nil || at.Scheme != "postgres" && at.Scheme != "postgresql" {
		return errors.New("expected an address such as postgres://user@host/name")
	}
	return postgres.CheckAddress(address)
}

// aboutFlag prefixes an error with its flag. It returns nil for nil.
func aboutFlag(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// requireThat returns an error if a condition does not hold.
func requireThat(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func (s *storage) privateDatabase() string { return filepath.Join(s.dataDir, "postgresql") }

// defaultAddr is the default address of the service.
const defaultAddr = "127.0.0.1:8080"

// settings are the service's settings as given.
type settings struct {
	storage
	addr, secretKey, readURL        string
	operatorEmail, operatorPassword string
	rateLimit, loginLimit           int
	allowPrivatePartners, behindTLS bool
	nightlyAt                       string
	nightlyWithin                   time.Duration
	probes, incremental, sweeps     time.Duration
	eraseAfter, ratesMaxAge         days
	affiliatesShare                 string
	pageCache                       int // MiB
	affiliateURL                    storefront.AffiliateURL
	logged
	metricsFrom, trustedProxies []string
	metricsAddr                 string
	conformance, certification  string
	goLive                      string
	judgeTraffic                string
	ratesURL                    string
	traces                      bool

	// Parsed by validation.
	scrapers []netip.Prefix
	proxies  []netip.Prefix
	schedule worker.Schedule
	share    decimal.Decimal
}

func (s *settings) register(command *cobra.Command) {
	s.storage.register(command)
	s.logged.register(command)
	settle(command, s.mistakes)
	f := command.Flags()
	f.StringSliceVar(&s.metricsFrom, "metrics-from", []string{"127.0.0.0/8", "::1/128"}, "the `networks` that may read /metrics")
	f.StringVar(&s.metricsAddr, "metrics-addr", "", "a separate `address` for /metrics, such as 127.0.0.1:9090; --addr then does not answer it. --metrics-from applies too")
	f.StringSliceVar(&s.trustedProxies, "trusted-proxies", nil, "the `networks` of trusted proxies, such as 10.0.0.0/8: their X-Forwarded-For or Forwarded gives the client's address, for rate limits and the log")
	f.StringVar(&s.addr, "addr", defaultAddr, "the `address` to listen on; port 0 chooses a free port")
	f.StringVar(&s.readURL, "database-read-url", "", "the `address` of a standby of the database, or of several, which answers lists, calendars and the overview while it is at most 2 s behind; never bookings")
	f.StringVar(&s.secretKey, "secret-key", "", fmt.Sprintf("the service's `secret`, %d bytes or more, the same for every replica; prefer the environment variable %s. Default: generated in the data folder", auth.ShortestSecret, variable("secret-key")))
	f.IntVar(&s.rateLimit, "rate-limit", 600, "requests a minute for each credential, in each replica; 0 means no limit")
	f.IntVar(&s.loginLimit, "login-limit", 10, "failed sign-ins a minute for each account, in each replica; 0 means no limit")
	f.BoolVar(&s.allowPrivatePartners, "allow-private-partners", false, "allow partners on this machine and in private networks; for development")
	f.BoolVar(&s.behindTLS, "behind-tls", false, "browsers use HTTPS through a proxy: the console's cookies are for HTTPS only")
	f.StringVar(&s.nightlyAt, "nightly-at", "02:30", "the `time` of the nightly full syncs and slot pulls, UTC")
	f.DurationVar(&s.nightlyWithin, "nightly-within", time.Hour, "the last of the nightly syncs begins within this `time`, from 1m to 12h; with few partners they begin a second apart")
	f.DurationVar(&s.probes, "probe-interval", time.Minute, "how often partners are probed; 0 means never")
	f.DurationVar(&s.incremental, "incremental-interval", 0, "how often incremental syncs run, in addition to the nightly ones, from 1m to 24h; 0 means never")
	f.DurationVar(&s.sweeps, "sweep-interval", 30*time.Second, "how often unpaid holds are expired and released")
	s.eraseAfter = days(400 * 24 * time.Hour)
	f.Var(&s.eraseAfter, "erase-guests-after", "how long after a slot's end its guests' names, e-mail addresses and telephone numbers are erased, in days (400d) or hours (9600h)")
	f.StringVar(&s.affiliatesShare, "affiliate-commission", "5", "the affiliate's share of a booking's total, in `percent`")
	f.IntVar(&s.pageCache, "page-cache", 256, "`MiB` of memory for the cache of list pages, in each replica")
	f.StringVar((*string)(&s.affiliateURL), "affiliate-url", "", "the `address` of an affiliate's link to an activity in your shop, such as https://shop.example/activities/{activity}?affiliate_code={affiliate}; {activity} and {affiliate} are replaced by their ids; without it, affiliates get no links")
	f.StringVar(&s.ratesURL, "rates-url", "", "the `address` of exchange rates in the European Central Bank's daily format, such as "+storefront.RatesAddress+"; read daily, and at startup if the rates are older than a day")
	s.ratesMaxAge = days(7 * 24 * time.Hour)
	f.Var(&s.ratesMaxAge, "rates-max-age", "how long a currency that the newest file of exchange rates lacks is sold in, from the date of its rate, in days (7d) or hours (168h). Older files are reported as old")
	f.BoolVar(&s.traces, "traces", false, "send OpenTelemetry traces to the address in OTEL_EXPORTER_OTLP_ENDPOINT (OTLP over HTTP)")
	f.StringVar(&s.conformance, "conformance-command", "", "the `path` of the conformance command, which tests partners; by default the one in this command's folder, or else on the PATH")
	f.StringVar(&s.certification, "certification", string(conformance.Off), "off, advise or require. advise: integrations show whether they are certified. require: in addition, activities of live integrations are listed only while they are certified. Operators can set another policy for an integration")
	f.StringVar(&s.goLive, "go-live", open, "open or approve. approve: activities of live integrations are listed only after an operator has approved the integration")
	f.StringVar(&s.judgeTraffic, "judge-traffic", judgeAll, "all, sample or off: judge the calls to partners as they happen, with the conformance command. sample: all calls of a partner in one minute of ten")
	f.StringVar(&s.operatorEmail, "operator-email", "", "the `address` of the first operator, who is created at startup if there is no such account")
	f.StringVar(&s.operatorPassword, "operator-password", "", "the first operator's `password`; prefer the environment variable "+variable("operator-password"))
}

// The values of --go-live.
const (
	open    = "open"    // a registered integration is listed
	approve = "approve" // an operator must approve it
)

// The values of --judge-traffic.
const (
	judgeAll    = "all"
	judgeSample = "sample"
	judgeNone   = "off"
)

// mostPageCache is more than one machine has, in MiB.
const mostPageCache = 1 << 20

// mistakes validates and parses all settings.
func (s *settings) mistakes() []error {
	_, port, addr := net.SplitHostPort(s.addr)
	_, metricsPort, metricsAddr := net.SplitHostPort(s.metricsAddr)
	wrong := append(append(s.storage.mistakes(), s.logged.mistakes()...),
		s.readNetworks(),
		aboutFlag("--database-read-url", checkDatabase(s.readURL)),
		requireThat(s.readURL == "" || s.databaseURL != "", "--database-read-url: expected --database-url too"),
		requireThat(s.metricsAddr == "" || metricsAddr == nil && metricsPort != "", "--metrics-addr: expected host:port, such as 127.0.0.1:9090"),
		requireThat(addr == nil && port != "", "--addr: expected host:port, such as 127.0.0.1:8080"),
		requireThat(s.secretKey == "" || len(s.secretKey) >= auth.ShortestSecret, "--secret-key: expected at least %d bytes, received %d", auth.ShortestSecret, len(s.secretKey)),
		requireThat(s.rateLimit >= 0, "--rate-limit: expected 0 or more, received %d", s.rateLimit),
		requireThat(s.loginLimit >= 0, "--login-limit: expected 0 or more, received %d", s.loginLimit),
		s.readSchedule(),
		requireThat(slices.Contains(conformance.Policies(), conformance.Policy(s.certification)), "--certification: expected off, advise or require, received %.20q", s.certification),
		requireThat(s.goLive == open || s.goLive == approve, "--go-live: expected open or approve, received %.20q", s.goLive),
		requireThat(slices.Contains([]string{judgeAll, judgeSample, judgeNone}, s.judgeTraffic), "--judge-traffic: expected all, sample or off, received %.20q", s.judgeTraffic),
		requireThat(s.pageCache >= 1 && s.pageCache <= mostPageCache, "--page-cache: expected from 1 to %d, received %d", mostPageCache, s.pageCache),
		s.readShare(),
		checkFeed(s.ratesURL),
		requireThat(s.ratesMaxAge >= leastRatesAge && s.ratesMaxAge <= mostRatesAge, "--rates-max-age: expected from %s to %s, received %s", leastRatesAge, mostRatesAge, s.ratesMaxAge),
		s.checkTraces(),
		aboutFlag("--affiliate-url", s.affiliateURL.Check()),
	)
	switch first := s.firstOperator(); {
	case (s.operatorEmail == "") != (s.operatorPassword == ""):
		wrong = append(wrong, errors.New("--operator-email and --operator-password: set both, or neither"))
	case s.operatorEmail != "":
		if mistaken := (*domain.Error)(nil); errors.As(domain.Check(&first), &mistaken) {
			for _, detail := range mistaken.Details {
				wrong = append(wrong, errors.New("--operator-"+detail))
			}
		}
	}
	return wrong
}

// The limits of intervals other than 0.
const (
	leastNight       = time.Minute
	longestNight     = 12 * time.Hour
	leastProbes      = time.Second
	leastIncremental = time.Minute
	leastSweeps      = time.Second
	longestSweeps    = time.Minute // the contract's limit for releasing an expired hold
	longestInterval  = 24 * time.Hour
	leastErase       = days(24 * time.Hour) // a confirmed booking may be cancelled until its slot's end and looked up on that day
)

func (s *settings) readSchedule() error {
	night, err := time.Parse("15:04", s.nightlyAt)
	at := time.Duration(night.Hour())*time.Hour + time.Duration(night.Minute())*time.Minute
	s.schedule = worker.Schedule{NightlyAt: at, NightlyWithin: s.nightlyWithin, Probes: s.probes, Incremental: s.incremental, Sweeps: s.sweeps, EraseAfter: time.Duration(s.eraseAfter)}
	interval := func(flag string, given, least time.Duration) error {
		return requireThat(given == 0 || given >= least && given <= longestInterval, "%s: expected 0, or from %s to %s, received %s", flag, least, longestInterval, given)
	}
	return errors.Join(
		requireThat(err == nil, "--nightly-at: expected a time such as 02:30, received %q", s.nightlyAt),
		requireThat(s.nightlyWithin >= leastNight && s.nightlyWithin <= longestNight, "--nightly-within: expected from %s to %s, received %s", leastNight, longestNight, s.nightlyWithin),
		interval("--probe-interval", s.probes, leastProbes),
		interval("--incremental-interval", s.incremental, leastIncremental),
		requireThat(s.eraseAfter >= leastErase, "--erase-guests-after: expected at least %s, received %s", leastErase, s.eraseAfter),
		requireThat(s.sweeps >= leastSweeps && s.sweeps <= longestSweeps, "--sweep-interval: expected from %s to %s, received %s", leastSweeps, longestSweeps, s.sweeps),
	)
}

// The limits of the age of exchange rates. The bank publishes none for up to five days.
const (
	leastRatesAge = days(24 * time.Hour)
	mostRatesAge  = days(3650 * 24 * time.Hour)
)

// checkFeed does not quote the address, which may contain a password.
func checkFeed(address string) error {
	parsed, err := url.Parse(address)
	fits := address == "" || err == nil && (parsed.Scheme == "https" || parsed.Scheme == "http") && parsed.Host != ""
	return requireThat(fits, "--rates-url: expected an address such as %s", storefront.RatesAddress)
}

func (s *settings) readShare() (err error) {
	s.share, err = decimal.NewFromString(s.affiliatesShare)
	fits := err == nil && len(s.affiliatesShare) <= 10 && !s.share.IsNegative() && !s.share.GreaterThan(decimal.NewFromInt(100))
	return requireThat(fits, "--affiliate-commission: expected a percentage from 0 to 100, such as 7.5, received %.20q", s.affiliatesShare)
}

func (s *settings) readNetworks() error {
	var metrics, proxies error
	s.scrapers, metrics = networks("--metrics-from", s.metricsFrom)
	s.proxies, proxies = networks("--trusted-proxies", s.trustedProxies)
	return errors.Join(metrics, proxies)
}

func networks(flag string, list []string) (read []netip.Prefix, err error) {
	for _, text := range list {
		network, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%s: expected networks such as 10.0.0.0/8 or 192.0.2.7/32, received %.80q", flag, text)
		}
		read = append(read, network.Masked())
	}
	return read, nil
}

func (s *settings) checkTraces() error {
	if !s.traces {
		return nil
	}
	return aboutFlag("--traces", telemetry.CheckTraces())
}

func (s *settings) firstOperator() domain.NewAccount {
	return domain.NewAccount{Email: s.operatorEmail, Password: s.operatorPassword, Role: domain.Operator, Name: "Operator"}
}

type logged struct {
	format, level string
	least         slog.Level // parsed from level by validation
}

func (l *logged) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&l.format, "log-format", "json", "json or text")
	f.StringVar(&l.level, "log-level", "info", "debug, info, warn or error: the lowest level to log. A request is info; a failed or slow one is warn")
}

func (l *logged) mistakes() []error {
	levels := []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	found := slices.IndexFunc(levels, func(level slog.Level) bool { return strings.EqualFold(level.String(), l.level) })
	l.least = levels[max(found, 0)]
	return []error{
		requireThat(l.format == "json" || l.format == "text", "--log-format: expected json or text, received %q", l.format),
		requireThat(found >= 0, "--log-level: expected debug, info, warn or error, received %q", l.level),
	}
}

// open returns the log and a function that writes its last lines.
func (l *logged) open(to io.Writer) (log *slog.Logger, flush func() error) {
	options, lines := &slog.HandlerOptions{Level: l.least}, telemetry.NewLogBuffer(to)
	if l.format == "text" {
		return slog.New(lines.Handler(slog.NewTextHandler(lines, options))), lines.Flush
	}
	return slog.New(lines.Handler(slog.NewJSONHandler(lines, options))), lines.Flush
}
