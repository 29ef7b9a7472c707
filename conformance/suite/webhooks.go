package suite

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/internal/scenario"
)

// DefaultWebhookWait is how long a run waits for the notification of a change.
const DefaultWebhookWait = scenario.DefaultWebhookWait

// The bounds of the wait for a notification.
const shortestWebhookWait, longestWebhookWait = time.Second, 5 * time.Minute

// The bounds of a webhook secret, in bytes. A shorter one could not be removed from reports without
// garbling other text.
const shortestSecret, longestSecret = 8, 256

// Webhooks is how a run receives the webhooks that the partner sends to the marketplace.
type Webhooks struct {
	Listen string        // the address to listen on, such as 127.0.0.1:9100
	Secret string        // that the partner was given; webhooks must present it
	URL    *url.URL      // the integration's address that the partner was given; nil: below Listen
	Wait   time.Duration // for the notification of a change; 0: DefaultWebhookWait
}

// check returns what is wrong, or nil. It never shows the secret.
func (w *Webhooks) check() error {
	if w == nil {
		return nil
	}
	_, port, err := net.SplitHostPort(w.Listen)
	strange := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case err != nil || port == "":
		return fmt.Errorf("--webhook-listen %q: expected a host and a port, such as 127.0.0.1:9100", w.Listen)
	case w.Secret == "":
		return errors.New("--webhook-secret is missing: give the secret that the partner sends as x-webhook-secret")
	case len(w.Secret) < shortestSecret || len(w.Secret) > longestSecret:
		return fmt.Errorf("--webhook-secret: expected %d to %d characters, received %d", shortestSecret, longestSecret, len(w.Secret))
	case strings.ContainsFunc(w.Secret, strange):
		return errors.New("--webhook-secret: expected visible ASCII characters only: check how it was copied")
	case w.Wait != 0 && (w.Wait < shortestWebhookWait || w.Wait > longestWebhookWait):
		return fmt.Errorf("--webhook-wait %s: expected %s to %s", w.Wait, shortestWebhookWait, longestWebhookWait)
	}
	return nil
}

// secret returns the secret, or "" if no webhooks are received.
func (w *Webhooks) secret() string {
	if w == nil {
		return ""
	}
	return w.Secret
}

// wait returns how long to wait for a notification.
func (w *Webhooks) wait() time.Duration { return cmp.Or(w.Wait, DefaultWebhookWait) }

// address returns the integration's address, below which the partner sends its webhooks.
func (w *Webhooks) address() string {
	if w.URL != nil {
		return w.URL.String()
	}
	return "http://" + w.Listen + inbox.DefaultPath
}
