package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/suite"
)

const (
	webhookSecretFlag     = "webhook-secret"
	webhookSecretVariable = inbox.SecretVariable
)

// webhookFlags say how a run receives the partner's webhooks.
type webhookFlags struct {
	listen, secret, url string
	wait                time.Duration
}

func (f *webhookFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.listen, "webhook-listen", "", "receive and judge the partner's webhooks at this `address`, such as 127.0.0.1:9100")
	flags.StringVar(&f.secret, webhookSecretFlag, "", "the `secret` that the partner sends in x-webhook-secret; prefer the environment variable "+webhookSecretVariable)
	flags.StringVar(&f.url, "webhook-url", "", "the `URL` that the partner was given as the integration's address, without /availability/notify and /sync/trigger (default the listening address with "+inbox.DefaultPath+")")
	flags.DurationVar(&f.wait, "webhook-wait", suite.DefaultWebhookWait, "how long a webhook may take after the change that it is about")
}

// config returns how webhooks are received, or nil if they are not. changed reports whether a flag
// was given, on the command line or elsewhere.
func (f webhookFlags) config(changed func(flag string) bool) (*suite.Webhooks, error) {
	secret := cmp.Or(f.secret, os.Getenv(webhookSecretVariable))
	if f.listen == "" {
		if f.url != "" || changed("webhook-wait") || changed(webhookSecretFlag) && os.Getenv(webhookSecretVariable) == "" {
			return nil, errors.New("--webhook-url, --webhook-secret and --webhook-wait need --webhook-listen")
		}
		return nil, nil // the variable alone starts nothing
	}
	if secret == "" {
		return nil, fmt.Errorf("the webhook secret is missing: set %s, or give --webhook-secret", webhookSecretVariable)
	}
	w := &suite.Webhooks{Listen: f.listen, Secret: secret, Wait: f.wait}
	if f.url == "" {
		return w, nil
	}
	var err error
	w.URL, err = parseWebhookURL(f.url)
	return w, err
}

// parseWebhookURL checks the address that the partner was given.
func parseWebhookURL(text string) (*url.URL, error) {
	address, err := parseAddress(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--webhook-url %w, such as https://tunnel.example%s", err, inbox.DefaultPath)
	case address.RawQuery != "" || address.ForceQuery || address.Fragment != "":
		return nil, errors.New("--webhook-url has a query or a fragment: paths are joined below it, so leave out what begins with ? or #")
	}
	return address, nil
}
