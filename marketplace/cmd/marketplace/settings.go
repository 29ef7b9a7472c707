package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/postgres"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/marketplace/internal/worker"
)

// storage says where the service keeps its data.
type storage struct {
	databaseURL, dataDir string
}

func (s *storage) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&s.databaseURL, "database-url", "", "a PostgreSQL (14 or newer) `address`, such as postgres://user@host/name; without one the service runs a private PostgreSQL in its data folder")
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
	if s.databaseURL != "" {
		if address, err := url.Parse(s.databaseURL); err != nil || address.Scheme != "postgres" && address.Scheme != "postgresql" {
			wrong = append(wrong, errors.New("--database-url: want an address such as postgres://user@host/name"))
		} else if err := postgres.CheckAddress(s.databaseURL); err != nil {
			wrong = append(wrong, fmt.Errorf("--database-url: %w", err))
		}
	}
	if s.dataDir == "" {
		wrong = append(wrong, errors.New("--data-dir: want a folder"))
	}
	return wrong
}

// privateDatabase is the folder of a private PostgreSQL.
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
	affiliatesShare                 string
	pageCache                       int // MiB
	affiliateURL                    storefront.AffiliateURL
	logged
	metricsFrom []string
}

func (s *settings) register(command *cobra.Command) {
	s.storage.register(command)
	s.logged.register(command)
	settle(command, s.mistakes)
	f := command.Flags()
	f.StringSliceVar(&s.metricsFrom, "metrics-from", []string{"127.0.0.0/8", "::1/128"}, "the `networks` that may read /metrics")
	f.StringVar(&s.addr, "addr", defaultAddr, "the `address` to listen on; port 0 takes a free one")
	f.StringVar(&s.secretKey, "secret-key", "", fmt.Sprintf("the service's `secret`, %d bytes or more, the same for every replica; better set %s. Without one it is made in the data folder", auth.ShortestSecret, variable("secret-key")))
	f.IntVar(&s.rateLimit, "rate-limit", 600, "requests a minute of one credential, in each replica; 0 is no limit")
	f.IntVar(&s.loginLimit, "login-limit", 10, "failed sign-ins a minute of one account, in each replica; 0 is no limit")
	f.BoolVar(&s.allowPrivatePartners, "allow-private-partners", false, "let partners have addresses of this machine and of private networks; for development")
	f.BoolVar(&s.behindTLS, "behind-tls", false, "browsers come by https, through a proxy that speaks it: the console's cookies are for https alone")
	f.StringVar(&s.nightlyAt, "nightly-at", "02:30", "the `time` of the night's full syncs and slot pulls, UTC")
	f.DurationVar(&s.probes, "probe-interval", time.Minute, "how often partners are asked whether they are there; 0 is never")
	f.DurationVar(&s.incremental, "incremental-interval", 0, "how often incremental syncs are made beside the night's; 0 is never")
	f.DurationVar(&s.sweeps, "sweep-interval", 30*time.Second, "how often holds that nobody paid in time are given back")
	f.StringVar(&s.affiliatesShare, "affiliate-commission", "5", "the affiliate's share of a booking's total, in `percent`")
	f.IntVar(&s.pageCache, "page-cache", 256, "`MiB` of memory for pages of the list that are kept made, in each replica")
	f.StringVar((*string)(&s.affiliateURL), "affiliate-url", "/activities/{activity}?affiliate_code={affiliate}", "the `address` that an affiliate's link to an activity has in your shop; {activity} and {affiliate} stand for their ids")
	f.StringVar(&s.operatorEmail, "operator-email", "", "the `address` of the first operator, who is made at the start where there is no such account")
	f.StringVar(&s.operatorPassword, "operator-password", "", "the first operator's `password`; better set "+variable("operator-password"))
}

// mostPageCache is beyond what one machine has to give, in MiB.
const mostPageCache = 1 << 20

// mistakes are those of all settings.
func (s *settings) mistakes() []error {
	wrong := append(s.storage.mistakes(), s.logged.mistakes()...)
	if _, err := networks(s.metricsFrom); err != nil {
		wrong = append(wrong, err)
	}
	if _, port, err := net.SplitHostPort(s.addr); err != nil || port == "" {
		wrong = append(wrong, errors.New("--addr: want host:port, such as 127.0.0.1:8080"))
	}
	if s.secretKey != "" && len(s.secretKey) < auth.ShortestSecret {
		wrong = append(wrong, fmt.Errorf("--secret-key: want at least %d bytes, got %d", auth.ShortestSecret, len(s.secretKey)))
	}
	if s.rateLimit < 0 {
		wrong = append(wrong, fmt.Errorf("--rate-limit: want 0 or more, got %d", s.rateLimit))
	}
	if s.loginLimit < 0 {
		wrong = append(wrong, fmt.Errorf("--login-limit: want 0 or more, got %d", s.loginLimit))
	}
	if _, err := s.schedule(); err != nil {
		wrong = append(wrong, err)
	}
	if s.pageCache < 1 || s.pageCache > mostPageCache {
		wrong = append(wrong, fmt.Errorf("--page-cache: want from 1 to %d, got %d", mostPageCache, s.pageCache))
	}
	if _, err := s.share(); err != nil {
		wrong = append(wrong, err)
	}
	if err := s.affiliateURL.Check(); err != nil {
		wrong = append(wrong, fmt.Errorf("--affiliate-url: %w", err))
	}
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
)

// schedule is when what happens by itself is due.
func (s *settings) schedule() (worker.Schedule, error) {
	var wrong []error
	night, err := time.Parse("15:04", s.nightlyAt)
	if err != nil {
		wrong = append(wrong, fmt.Errorf("--nightly-at: want a time such as 02:30, got %q", s.nightlyAt))
	}
	interval := func(flag string, given, least time.Duration) {
		if given != 0 && (given < least || given > longestInterval) {
			wrong = append(wrong, fmt.Errorf("%s: want 0, or from %s to %s, got %s", flag, least, longestInterval, given))
		}
	}
	interval("--probe-interval", s.probes, leastProbes)
	interval("--incremental-interval", s.incremental, leastIncremental)
	if s.sweeps < leastSweeps || s.sweeps > longestSweeps {
		wrong = append(wrong, fmt.Errorf("--sweep-interval: want from %s to %s, got %s", leastSweeps, longestSweeps, s.sweeps))
	}
	at := time.Duration(night.Hour())*time.Hour + time.Duration(night.Minute())*time.Minute
	return worker.Schedule{NightlyAt: at, Probes: s.probes, Incremental: s.incremental, Sweeps: s.sweeps}, joined(wrong)
}

// share is the affiliates', in percent.
func (s *settings) share() (decimal.Decimal, error) {
	share, err := decimal.NewFromString(s.affiliatesShare)
	if err != nil || len(s.affiliatesShare) > 10 || share.IsNegative() || share.GreaterThan(decimal.NewFromInt(100)) {
		return share, fmt.Errorf("--affiliate-commission: want a percentage from 0 to 100, such as 7.5, got %.20q", s.affiliatesShare)
	}
	return share, nil
}

func (s *settings) firstOperator() marketplace.NewAccount {
	return marketplace.NewAccount{Email: s.operatorEmail, Password: s.operatorPassword, Role: marketplace.Operator, Name: "Operator"}
}
