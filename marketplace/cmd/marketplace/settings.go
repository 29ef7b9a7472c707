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
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/telemetry"
	"partnerkit.dev/marketplace/internal/worker"
)

// variable is the environment variable of a flag.
var variable = cli.Prefixed("MARKETPLACE_")

// settle has a command's flags that were not given set by their variables, and checked,
// before it runs.
func settle(command *cobra.Command, checks ...func() []error) {
	cli.Fill(command, cli.Settings{Flags: command.Flags(), Variable: variable}, checks...)
}

// noArguments refuses every argument that is no flag.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.Misuse(fmt.Errorf("want no argument but flags, got %q; %s --help lists them", args[0], command.CommandPath()))
	}
	return nil
}

type storage struct {
	databaseURL, dataDir, npmRegistry string
}

func (s *storage) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&s.databaseURL, "database-url", "", "a PostgreSQL (14 or newer) `address`, such as postgres://user@host/name; without one the service runs a private PostgreSQL in its data folder")
	f.StringVar(&s.npmRegistry, "npm-registry", "", "the `address` of an npm registry from which the private PostgreSQL is downloaded, once, where the machine has none")
	f.StringVar(&s.dataDir, "data-dir", defaultDataDir(), "the `folder` for what the service keeps by itself: its private PostgreSQL, its secret")
	settle(command, s.mistakes)
}

// defaultDataDir is where the system's programs keep such things: for root one that
// PostgreSQL's own user can reach.
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
	if address, err := url.Parse(s.databaseURL); s.databaseURL != "" && (err != nil || address.Scheme != "postgres" && address.Scheme != "postgresql") {
		wrong = append(wrong, errors.New("--database-url: want an address such as postgres://user@host/name"))
	} else if s.databaseURL != "" {
		wrong = append(wrong, about("--database-url", postgres.CheckAddress(s.databaseURL)))
	}
	if address, err := url.Parse(s.npmRegistry); s.npmRegistry != "" && (err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "") {
		wrong = append(wrong, errors.New("--npm-registry: want an address such as https://registry.example"))
	}
	return append(wrong, unless(s.dataDir != "", "--data-dir: want a folder"))
}

// about is an error that begins with its flag; nil where there is none.
func about(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// unless is the error that is said where something does not hold.
func unless(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func (s *storage) privateDatabase() string { return filepath.Join(s.dataDir, "postgresql") }

// defaultAddr is where the service listens unless it is told otherwise.
const defaultAddr = "127.0.0.1:8080"

// settings are those of the service, as given.
type settings struct {
	storage
	addr, secretKey                 string
	operatorEmail, operatorPassword string
	rateLimit, loginLimit           int
	allowPrivatePartners, behindTLS bool
	nightlyAt                       string
	probes, incremental, sweeps     time.Duration
	eraseAfter                      time.Duration
	affiliatesShare                 string
	pageCache                       int // MiB
	affiliateURL                    storefront.AffiliateURL
	logged
	metricsFrom, trustedProxies []string
	metricsAddr                 string

	// What checking them has read.
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
	f.StringVar(&s.metricsAddr, "metrics-addr", "", "an `address` of its own for /metrics, such as 127.0.0.1:9090, which --addr then does not answer; --metrics-from holds for it as well")
	f.StringSliceVar(&s.trustedProxies, "trusted-proxies", nil, "the `networks` of the proxies before the service, such as 10.0.0.0/8: their X-Forwarded-For or Forwarded says where requests come from, for the limits of an address and for the log")
	f.StringVar(&s.addr, "addr", defaultAddr, "the `address` to listen on; port 0 takes a free one")
	f.StringVar(&s.secretKey, "secret-key", "", fmt.Sprintf("the service's `secret`, %d bytes or more, the same for every replica; better set %s. Without one it is made in the data folder", auth.ShortestSecret, variable("secret-key")))
	f.IntVar(&s.rateLimit, "rate-limit", 600, "requests a minute of one credential, in each replica; 0 is no limit")
	f.IntVar(&s.loginLimit, "login-limit", 10, "failed sign-ins a minute of one account, in each replica; 0 is no limit")
	f.BoolVar(&s.allowPrivatePartners, "allow-private-partners", false, "let partners have addresses of this machine and of private networks; for development")
	f.BoolVar(&s.behindTLS, "behind-tls", false, "browsers come by https, through a proxy that speaks it: the console's cookies are for https alone")
	f.StringVar(&s.nightlyAt, "nightly-at", "02:30", "the `time` of the night's full syncs and slot pulls, UTC")
	f.DurationVar(&s.probes, "probe-interval", time.Minute, "how often partners are asked whether they are there; 0 is never")
	f.DurationVar(&s.incremental, "incremental-interval", 0, "how often incremental syncs are made beside the night's, from 1m to 24h; 0 is never")
	f.DurationVar(&s.sweeps, "sweep-interval", 30*time.Second, "how often holds that nobody paid in time are given back")
	f.DurationVar(&s.eraseAfter, "erase-guests-after", 400*24*time.Hour, "how long after a slot's end its guests' names, e-mail addresses and telephone numbers are erased")
	f.StringVar(&s.affiliatesShare, "affiliate-commission", "5", "the affiliate's share of a booking's total, in `percent`")
	f.IntVar(&s.pageCache, "page-cache", 256, "`MiB` of memory for pages of the list that are kept made, in each replica")
	f.StringVar((*string)(&s.affiliateURL), "affiliate-url", "/activities/{activity}?affiliate_code={affiliate}", "the `address` that an affiliate's link to an activity has in your shop; {activity} and {affiliate} stand for their ids")
	f.StringVar(&s.operatorEmail, "operator-email", "", "the `address` of the first operator, who is made at the start where there is no such account")
	f.StringVar(&s.operatorPassword, "operator-password", "", "the first operator's `password`; better set "+variable("operator-password"))
}

// mostPageCache is beyond what one machine has to give, in MiB.
const mostPageCache = 1 << 20

// mistakes are those of all settings, which it reads.
func (s *settings) mistakes() []error {
	_, port, addr := net.SplitHostPort(s.addr)
	_, metricsPort, metricsAddr := net.SplitHostPort(s.metricsAddr)
	wrong := append(append(s.storage.mistakes(), s.logged.mistakes()...),
		s.readNetworks(),
		unless(s.metricsAddr == "" || metricsAddr == nil && metricsPort != "", "--metrics-addr: want host:port, such as 127.0.0.1:9090"),
		unless(addr == nil && port != "", "--addr: want host:port, such as 127.0.0.1:8080"),
		unless(s.secretKey == "" || len(s.secretKey) >= auth.ShortestSecret, "--secret-key: want at least %d bytes, got %d", auth.ShortestSecret, len(s.secretKey)),
		unless(s.rateLimit >= 0, "--rate-limit: want 0 or more, got %d", s.rateLimit),
		unless(s.loginLimit >= 0, "--login-limit: want 0 or more, got %d", s.loginLimit),
		s.readSchedule(),
		unless(s.pageCache >= 1 && s.pageCache <= mostPageCache, "--page-cache: want from 1 to %d, got %d", mostPageCache, s.pageCache),
		s.readShare(),
		about("--affiliate-url", s.affiliateURL.Check()),
	)
	switch first := s.firstOperator(); {
	case (s.operatorEmail == "") != (s.operatorPassword == ""):
		wrong = append(wrong, errors.New("--operator-email and --operator-password: want both, or neither"))
	case s.operatorEmail != "":
		if mistaken := (*marketplace.Error)(nil); errors.As(marketplace.Check(&first), &mistaken) {
			for _, detail := range mistaken.Details {
				wrong = append(wrong, errors.New("--operator-"+detail))
			}
		}
	}
	return wrong
}

// What an interval may be, where it is not 0.
const (
	leastProbes      = time.Second
	leastIncremental = time.Minute
	leastSweeps      = time.Second
	longestSweeps    = time.Minute // a partner may wait no longer for an expired hold's release
	longestInterval  = 24 * time.Hour
	leastErase       = 24 * time.Hour // a confirmed booking may be cancelled until its slot's end, and looked up on the day
)

func (s *settings) readSchedule() error {
	night, err := time.Parse("15:04", s.nightlyAt)
	at := time.Duration(night.Hour())*time.Hour + time.Duration(night.Minute())*time.Minute
	s.schedule = worker.Schedule{NightlyAt: at, Probes: s.probes, Incremental: s.incremental, Sweeps: s.sweeps, EraseAfter: s.eraseAfter}
	interval := func(flag string, given, least time.Duration) error {
		return unless(given == 0 || given >= least && given <= longestInterval, "%s: want 0, or from %s to %s, got %s", flag, least, longestInterval, given)
	}
	return errors.Join(
		unless(err == nil, "--nightly-at: want a time such as 02:30, got %q", s.nightlyAt),
		interval("--probe-interval", s.probes, leastProbes),
		interval("--incremental-interval", s.incremental, leastIncremental),
		unless(s.eraseAfter >= leastErase, "--erase-guests-after: want at least %s, got %s", leastErase, s.eraseAfter),
		unless(s.sweeps >= leastSweeps && s.sweeps <= longestSweeps, "--sweep-interval: want from %s to %s, got %s", leastSweeps, longestSweeps, s.sweeps),
	)
}

func (s *settings) readShare() (err error) {
	s.share, err = decimal.NewFromString(s.affiliatesShare)
	fits := err == nil && len(s.affiliatesShare) <= 10 && !s.share.IsNegative() && !s.share.GreaterThan(decimal.NewFromInt(100))
	return unless(fits, "--affiliate-commission: want a percentage from 0 to 100, such as 7.5, got %.20q", s.affiliatesShare)
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
			return nil, fmt.Errorf("%s: want networks such as 10.0.0.0/8 or 192.0.2.7/32, got %.80q", flag, text)
		}
		read = append(read, network.Masked())
	}
	return read, nil
}

func (s *settings) firstOperator() marketplace.NewAccount {
	return marketplace.NewAccount{Email: s.operatorEmail, Password: s.operatorPassword, Role: marketplace.Operator, Name: "Operator"}
}

type logged struct {
	format, level string
	least         slog.Level // as checking level has read it
}

func (l *logged) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&l.format, "log-format", "json", "json or text")
	f.StringVar(&l.level, "log-level", "info", "debug, info, warn or error: what is less is not logged. A request is info, one that failed or took long warn")
}

func (l *logged) mistakes() []error {
	levels := []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	found := slices.IndexFunc(levels, func(level slog.Level) bool { return strings.EqualFold(level.String(), l.level) })
	l.least = levels[max(found, 0)]
	return []error{
		unless(l.format == "json" || l.format == "text", "--log-format: want json or text, got %q", l.format),
		unless(found >= 0, "--log-level: want debug, info, warn or error, got %q", l.level),
	}
}

// open returns the log and what writes its last lines.
func (l *logged) open(to io.Writer) (log *slog.Logger, flush func() error) {
	options, lines := &slog.HandlerOptions{Level: l.least}, telemetry.NewLogBuffer(to)
	if l.format == "text" {
		return slog.New(lines.Handler(slog.NewTextHandler(lines, options))), lines.Flush
	}
	return slog.New(lines.Handler(slog.NewJSONHandler(lines, options))), lines.Flush
}
