package settings

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/suite"
)

// The flag and the environment variable with the secret of webhooks.
const (
	WebhookSecretFlag     = "webhook-secret"
	WebhookSecretVariable = inbox.SecretVariable
)

// Webhooks says how a run receives the partner's webhooks.
type Webhooks struct {
	Listen      string
	secret, url string
	wait        time.Duration
}

func (w *Webhooks) register(flags *pflag.FlagSet) {
	flags.StringVar(&w.Listen, "webhook-listen", "", "receive and judge the partner's webhooks at this `address`, such as 127.0.0.1:9100")
	flags.StringVar(&w.secret, WebhookSecretFlag, "", "the `secret` that the partner sends in x-webhook-secret; prefer the environment variable "+WebhookSecretVariable)
	flags.StringVar(&w.url, "webhook-url", "", "the `URL` that the partner was given as the integration's address, without /availability/notify and /sync/trigger (default the listening address with "+inbox.DefaultPath+")")
	flags.DurationVar(&w.wait, "webhook-wait", suite.DefaultWebhookWait, "how long a webhook may take after the change that it is about")
}

// config returns how webhooks are received, or nil if they are not. changed reports whether a flag
// was given, on the command line or elsewhere.
func (w Webhooks) config(changed func(flag string) bool, environment Environment) (*suite.Webhooks, error) {
	secret := cmp.Or(w.secret, environment.Get(WebhookSecretVariable))
	if w.Listen == "" {
		if w.url != "" || changed("webhook-wait") || changed(WebhookSecretFlag) && environment.Get(WebhookSecretVariable) == "" {
			return nil, errors.New("--webhook-url, --webhook-secret and --webhook-wait need --webhook-listen")
		}
		return nil, nil // the variable alone starts nothing
	}
	if secret == "" {
		return nil, fmt.Errorf("the webhook secret is missing: set %s, or give --webhook-secret", WebhookSecretVariable)
	}
	received := &suite.Webhooks{Listen: w.Listen, Secret: secret, Wait: w.wait}
	if w.url == "" {
		return received, nil
	}
	var err error
	received.URL, err = parseWebhookURL(w.url)
	return received, err
}

// parseWebhookURL checks the address that the partner was given.
func parseWebhookURL(text string) (*url.URL, error) {
	address, err := ParseAddress(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--webhook-url %w, such as https://tunnel.example%s", err, inbox.DefaultPath)
	case address.RawQuery != "" || address.ForceQuery || address.Fragment != "":
		return nil, errors.New("--webhook-url has a query or a fragment: paths are joined below it, so leave out what begins with ? or #")
	}
	return address, nil
}
