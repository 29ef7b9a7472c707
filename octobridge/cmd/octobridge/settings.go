package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/octobridge/internal/offer"
	"partnerkit.dev/octobridge/internal/supplier"
	"partnerkit.dev/schemas/partnerapi"
)

// defaultAddr is the default address to listen on.
const defaultAddr = "127.0.0.1:8085"

// supplierSettings say which supplier is called, and how its units are sold.
type supplierSettings struct {
	octoURL, octoKeyEnv, units string

	address *url.URL
	key     string
	mapped  offer.Units
}

func (s *supplierSettings) register(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&s.octoURL, "octo-url", "", "the supplier's OCTO endpoint, an `address` below which are /products and /bookings; required")
	flags.StringVar(&s.octoKeyEnv, "octo-key-env", "OCTOBRIDGE_OCTO_KEY", "the environment `variable` with the supplier's key")
	flags.StringVar(&s.units, "units", "", "a YAML `file` that says as which guest types units are sold; for its format see the README")
}

// mistakes validates the settings, and reads what they name.
func (s *supplierSettings) mistakes() (wrong []error) {
	address, err := url.Parse(s.octoURL)
	if s.octoURL == "" {
		wrong = append(wrong, errors.New("--octo-url is required: the supplier's OCTO endpoint, such as https://supplier.example/octo"))
	} else if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" || address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		wrong = append(wrong, errors.New("--octo-url: expected an address such as https://supplier.example/octo, without a user, a query or a fragment"))
	}
	s.address = address
	if s.key, err = readKey("octo-key-env", s.octoKeyEnv); err != nil {
		wrong = append(wrong, err)
	}
	if s.units != "" {
		if s.mapped, err = offer.LoadUnits(s.units); err != nil {
			wrong = append(wrong, fmt.Errorf("--units: %w", err))
		}
	}
	return wrong
}

// readKey returns the key in the variable that a flag names.
func readKey(flag, variable string) (string, error) {
	key := os.Getenv(variable)
	switch {
	case key == "":
		return "", fmt.Errorf("--%s: the environment variable %s has no key", flag, variable)
	case strings.TrimSpace(key) != key || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("--%s: the key in %s has spaces at an end, or characters that no header can carry", flag, variable)
	}
	return key, nil
}

func (s *supplierSettings) client(observe func(string, int, time.Duration)) *supplier.Client {
	return supplier.New(supplier.Config{URL: s.address, Key: s.key, UserAgent: "octobridge/" + cli.Build(), Observe: observe})
}

// offered returns what the supplier offers.
func (s *supplierSettings) offered(ctx context.Context) (*offer.Offer, error) {
	ctx, cancel := context.WithTimeout(ctx, partnerapi.Products.Timeout(partnerapi.Healthy))
	defer cancel()
	products, err := s.client(nil).Products(ctx)
	if err != nil {
		return nil, err
	}
	return (&offer.Translator{Units: s.mapped}).Translate(products), nil
}

// serveSettings are the settings of a bridge.
type serveSettings struct {
	supplierSettings
	addr, authKeyEnv, authType string
	store                      string
	hold                       time.Duration
	tlsCert, tlsKey            string

	authKey string
}

func (s *serveSettings) register(flags *pflag.FlagSet) {
	s.supplierSettings.register(flags)
	flags.StringVar(&s.addr, "addr", defaultAddr, "the `address` to listen on; port 0 chooses a free port")
	flags.StringVar(&s.authKeyEnv, "auth-key-env", "OCTOBRIDGE_AUTH_KEY", "the environment `variable` with the key that the marketplace presents")
	flags.StringVar(&s.authType, "auth-type", string(partnerapi.Bearer), "how the marketplace sends the key: bearer or api_key")
	flags.StringVar(&s.store, "store", "octobridge.db", "where codes and answers are kept: the path of a SQLite `file`, or a PostgreSQL address such as postgres://user@host/name")
	flags.DurationVar(&s.hold, "hold", 20*time.Minute, "how long the supplier is asked to hold seats, in whole minutes")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "take calls by HTTPS, with the certificate in this PEM `file`")
	flags.StringVar(&s.tlsKey, "tls-key", "", "the PEM `file` with the private key of --tls-cert")
}

func (s *serveSettings) mistakes() (wrong []error) {
	wrong = s.supplierSettings.mistakes()
	var err error
	if s.authKey, err = readKey("auth-key-env", s.authKeyEnv); err != nil {
		wrong = append(wrong, err)
	}
	if !slices.Contains(partnerapi.AuthTypes(), partnerapi.AuthType(s.authType)) {
		wrong = append(wrong, fmt.Errorf("--auth-type: expected bearer or api_key, received %q", s.authType))
	}
	if s.hold < time.Minute || s.hold%time.Minute != 0 {
		wrong = append(wrong, fmt.Errorf("--hold: expected whole minutes, such as 20m, received %s", s.hold))
	}
	if s.store == "" {
		wrong = append(wrong, errors.New("--store: expected the path of a file, or a PostgreSQL address"))
	}
	return wrong
}
