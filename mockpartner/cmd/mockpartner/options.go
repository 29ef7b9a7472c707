package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/schemas/partnerapi"
)

// These environment variables can replace flags, because other users of the machine can see secrets
// on the command line.
const (
	authKeyVariable      = "MOCKPARTNER_AUTH_KEY"
	controlTokenVariable = "MOCKPARTNER_CONTROL_TOKEN"
	webhookVariable      = script.SecretVariable
)

var variables = map[string]string{
	"auth-key": authKeyVariable, "control-token": controlTokenVariable, webhookSecretFlag: webhookVariable,
}

const webhookSecretFlag = "webhook-secret"

// defaultAddr is the default address to listen on.
const defaultAddr = "127.0.0.1:8081"

type serveFlags struct {
	addr, octoAddr                         string
	authKey, authType, controlToken        string
	catalog, codes, now, scenario          string
	products, options, maxSandboxes        int
	defects, variants, origins             []string
	seed                                   uint64
	holdFor                                time.Duration
	sandboxIdle                            time.Duration
	frozen, holds, cancel, tickets, routes bool
	webhookURL, webhookSecret              string
	tlsCert, tlsKey, tlsClientCA           string
}

func (f *serveFlags) register(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&f.addr, "addr", defaultAddr, "address to listen on; port 0 chooses a free port")
	flags.StringVar(&f.octoAddr, "octo-addr", "", "also serve the same platform as an OCTO supplier, at this address")
	flags.StringVar(&f.tlsCert, "tls-cert", "", "take calls by HTTPS, with the certificate in this PEM `file`")
	flags.StringVar(&f.tlsKey, "tls-key", "", "the PEM `file` with the private key of --tls-cert")
	flags.StringVar(&f.tlsClientCA, "tls-client-ca", "", "with --tls-cert: require a client certificate that a certificate in this PEM `file` has issued")
	flags.StringVar(&f.authKey, "auth-key", "", "key that callers must present; required (also "+authKeyVariable+")")
	flags.StringVar(&f.authType, "auth-type", string(partnerapi.Bearer), "how callers send the key: bearer or api_key")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of slots, codes and booking ids")
	flags.StringVar(&f.catalog, "catalog", "", "YAML file of the catalog (default: a catalog of eight products)")
	flags.IntVar(&f.products, "products", 0, "generate this many products from the seed instead")
	flags.IntVar(&f.options, "options", 0, "with --products: options of each product (default 2)")
	flags.StringVar(&f.scenario, "scenario", "", "YAML file of catalog, clock, seed, policy, quirks and faults; read again when it changes")
	flags.StringSliceVar(&f.defects, "defect", nil, "break the contract in that way; `mockpartner defects` lists them")
	flags.StringSliceVar(&f.variants, "variant", nil, "behave unusually but within the contract; `mockpartner variants` lists them")
	flags.StringVar(&f.now, "now", "", "initial time, such as 2026-07-01T09:00:00Z (default: now)")
	flags.BoolVar(&f.frozen, "frozen", false, "stop the clock until it is moved")
	flags.DurationVar(&f.holdFor, "hold-for", platform.DefaultHoldFor, "how long a hold lasts")
	flags.BoolVar(&f.holds, "holds", true, "reserve holds seats; with =false confirm takes them")
	flags.BoolVar(&f.cancel, "cancel", true, "support cancel")
	flags.BoolVar(&f.tickets, "tickets", true, "confirm returns tickets")
	flags.StringVar(&f.codes, "codes", string(catalog.PlainCodes), "format of codes and booking ids: plain or awkward (/ + % spaces)")
	flags.IntVar(&f.maxSandboxes, "max-sandboxes", sandbox.DefaultMax, "maximum number of sandboxes")
	flags.DurationVar(&f.sandboxIdle, "sandbox-idle", sandbox.DefaultIdleFor, "delete a sandbox after this time without calls; -1s means never")
	flags.StringVar(&f.webhookURL, "webhook-url", "", "a marketplace's webhook URL, such as http://127.0.0.1:8080/api/v1/partner-integrations/…")
	flags.StringVar(&f.webhookSecret, webhookSecretFlag, "", "secret that webhooks send (also "+webhookVariable+")")
	flags.StringVar(&f.controlToken, "control-token", "", "token that callers of the control API must present (also "+controlTokenVariable+")")
	flags.StringSliceVar(&f.origins, "cors", nil, "let pages of this `origin`, such as http://localhost:3000, call the partner endpoints; * means all")
	flags.BoolVar(&f.routes, "routes", false, "print every route at startup")
}

func (f serveFlags) mockOptions(c *cobra.Command, file script.File) (o mockpartner.Options, err error) {
	scenario := &script.Scenario{}
	if file.Path != "" {
		if scenario, err = file.Scenario(); err != nil {
			return o, err
		}
	}
	if err := f.stand(c, scenario); err != nil {
		return o, err
	}
	if scenario.Seed != nil {
		f.seed = *scenario.Seed
	}
	o = mockpartner.Options{
		AuthType:       partnerapi.AuthType(f.authType),
		AuthKey:        f.authKey,
		ControlToken:   f.controlToken,
		CORS:           f.origins,
		Seed:           f.seed,
		Frozen:         f.frozen,
		HoldFor:        f.holdFor,
		MaxSandboxes:   f.maxSandboxes,
		SandboxIdleFor: f.sandboxIdle,
		Scenario:       &mockpartner.Scenario{Scenario: scenario},
		Defects:        f.defects,
		Variants:       f.variants,
	}
	switch {
	case o.AuthKey == "":
		return o, fmt.Errorf("the key that callers present is required: set --auth-key or %s", authKeyVariable)
	case f.holdFor < time.Second:
		return o, fmt.Errorf("--hold-for: expected at least 1s, received %s", f.holdFor)
	case f.sandboxIdle == 0:
		return o, errors.New("--sandbox-idle: expected a duration such as 1h, or -1s for no limit, received 0")
	case f.maxSandboxes < 1:
		return o, fmt.Errorf("--max-sandboxes: expected at least 1, received %d", f.maxSandboxes)
	}
	if f.now != "" {
		if o.Now, err = partnerapi.ParseDateTime(f.now); err != nil {
			return o, fmt.Errorf("--now: %w", err)
		}
	}
	if o.Catalog, err = f.loadCatalog(c, scenario); err != nil {
		return o, err
	}
	f.override(c, scenario, o.Catalog)
	return o, nil
}

// stand lets given flags take precedence over the scenario. It returns an error if the scenario
// sends webhooks elsewhere without --webhook-url.
func (f serveFlags) stand(c *cobra.Command, scenario *script.Scenario) error {
	given := c.Flags().Changed
	if given("seed") {
		scenario.Seed = nil
	}
	if given("frozen") {
		scenario.Frozen = false
	}
	if given("now") {
		scenario.Now = time.Time{}
	}
	if given("catalog") || given("products") {
		scenario.Catalog = nil
	}
	scenario.Webhooks = f.webhooks(given, scenario)
	if w := scenario.Webhooks; w != nil && w.URL != f.webhookURL && !w.OnLoopback() {
		return fmt.Errorf("webhooks.url: a scenario sends webhooks to this machine only: if %s is where you want them, add --webhook-url %[1]s", w.URL)
	}
	return nil
}

func (f serveFlags) loadCatalog(c *cobra.Command, scenario *script.Scenario) (*catalog.Catalog, error) {
	generate := c.Flags().Changed("products")
	switch {
	case generate && f.catalog != "":
		return nil, errors.New("use --catalog or --products, not both")
	case generate:
		return catalog.Generate(f.seed, f.products, cmp.Or(f.options, 2))
	case c.Flags().Changed("options"):
		return nil, errors.New("--options requires --products")
	case f.catalog != "":
		return catalog.Load(f.catalog)
	default:
		return scenario.Catalog, nil
	}
}

// override lets given flags take precedence over the policy of the scenario, or else of the
// catalog.
func (f serveFlags) override(c *cobra.Command, scenario *script.Scenario, sold *catalog.Catalog) {
	var policy catalog.Policy
	switch {
	case scenario.Policy != nil:
		policy = *scenario.Policy
	case sold != nil:
		policy = sold.Policy
	}
	for name, set := range map[string]func(){
		"holds":   func() { policy.NoHolds = !f.holds },
		"cancel":  func() { policy.NoCancel = !f.cancel },
		"tickets": func() { policy.NoTickets = !f.tickets },
		"codes":   func() { policy.Codes = catalog.CodeStyle(f.codes) },
	} {
		if c.Flags().Changed(name) {
			set()
			scenario.Policy = &policy
		}
	}
	if c.Flags().Changed("hold-for") {
		scenario.HoldFor = f.holdFor
	}
}

// webhooks returns the scenario's webhooks with the URL and secret of the flags. It returns nil if
// neither configures webhooks.
func (f serveFlags) webhooks(given func(flag string) bool, scenario *script.Scenario) *webhook.Config {
	if scenario.Webhooks == nil && f.webhookURL == "" && !given(webhookSecretFlag) {
		return nil // the variable alone sends nothing
	}
	var config webhook.Config
	if scenario.Webhooks != nil {
		config = *scenario.Webhooks
	}
	config.URL = cmp.Or(f.webhookURL, config.URL)
	if f.webhookSecret != "" {
		config.Secret, config.SecretEnv = script.Secret(f.webhookSecret), ""
	}
	return &config
}
