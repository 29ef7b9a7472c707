package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/schemas/partnerapi"
)

func (f serveFlags) mockOptions(c *cobra.Command, file script.File) (o mockpartner.Options, err error) {
	scenario, err := f.script(c, file)
	if err != nil {
		return o, err
	}
	if scenario.Seed != nil {
		f.seed = *scenario.Seed
	}
	o = mockpartner.Options{
		AuthType:       partnerapi.AuthType(f.authType),
		AuthKey:        f.authKey,
		ControlToken:   f.controlToken,
		Seed:           f.seed,
		Frozen:         f.frozen,
		HoldFor:        f.holdFor,
		MaxSandboxes:   f.maxSandboxes,
		SandboxIdleFor: f.sandboxIdle,
		Scenario:       scenario,
		Defects:        f.defects,
		Variants:       f.variants,
	}
	switch {
	case o.AuthKey == "":
		return o, fmt.Errorf("want the key that callers must present: --auth-key or %s", authKeyVariable)
	case f.holdFor < time.Second:
		return o, fmt.Errorf("--hold-for: want at least 1s, got %s", f.holdFor)
	case f.sandboxIdle == 0:
		return o, errors.New("--sandbox-idle: want a duration such as 1h, or -1s for ever, got 0")
	case f.maxSandboxes < 1:
		return o, fmt.Errorf("--max-sandboxes: want at least 1, got %d", f.maxSandboxes)
	}
	if f.now != "" {
		if o.Now, err = partnerapi.ParseDateTime(f.now); err != nil {
			return o, fmt.Errorf("--now: %w", err)
		}
	}
	if o.Catalog, err = f.sold(c, scenario); err != nil {
		return o, err
	}
	f.override(c, scenario, o.Catalog)
	return o, nil
}

// script is the scenario of the file, with what flags say in the place of what it
// says; where there is no file it says what flags say.
func (f serveFlags) script(c *cobra.Command, file script.File) (scenario *script.Scenario, err error) {
	scenario = &script.Scenario{}
	if file.Path != "" {
		if scenario, err = file.Scenario(); err != nil {
			return nil, err
		}
	}
	f.stand(c, scenario)
	return scenario, nil
}

// stand lets flags that are given stand before what the scenario says.
func (f serveFlags) stand(c *cobra.Command, scenario *script.Scenario) {
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
}

// sold is the catalog that flags or scenario ask for, nil for any.
func (f serveFlags) sold(c *cobra.Command, scenario *script.Scenario) (*catalog.Catalog, error) {
	generate := c.Flags().Changed("products")
	switch {
	case generate && f.catalog != "":
		return nil, errors.New("want --catalog or --products, not both")
	case generate:
		return catalog.Generate(f.seed, f.products, cmp.Or(f.options, 2))
	case c.Flags().Changed("options"):
		return nil, errors.New("--options wants --products too")
	case f.catalog != "":
		return catalog.Load(f.catalog)
	default:
		return scenario.Catalog, nil
	}
}

// override lets flags that are given stand before the policy of the scenario, or
// else of the catalog.
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

// webhooks are those of the scenario, to where and with what the flags say; nil
// where neither says anything.
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
