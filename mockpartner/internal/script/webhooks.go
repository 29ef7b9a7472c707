package script

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Webhooks configures how a mock reports changes to a marketplace (WHK-1, WHK-2). Its keys in a
// file are the names of the fields.
type Webhooks struct {
	// URL is the marketplace's base URL for webhooks, without /sync/trigger and
	// /availability/notify. It is http or https.
	URL    string `yaml:"url" json:"url"`
	Secret Secret `yaml:"secret" json:"-"`
	// SecretEnv names an environment variable with the secret. The name must begin with
	// SecretVariable, because a scenario may come from an untrusted author.
	SecretEnv string `yaml:"secret_env" json:"-"`
	// On lists the causes that are reported; empty means what the partner's own staff does: changes
	// of the catalog, and of slots.
	On      []client.Cause `yaml:"on" json:"on"`
	Retries Retries        `yaml:"retries" json:"retries"`
	// Timeout limits one attempt; 0 means DefaultWebhookTimeout.
	Timeout  Duration       `yaml:"timeout" json:"timeout"`
	Schedule []Scheduled    `yaml:"schedule" json:"schedule,omitempty"`
	Faults   []WebhookFault `yaml:"faults" json:"faults,omitempty"`
}

// SecretVariable is the environment variable of the secret. Scenarios may name only variables that
// begin with it.
const SecretVariable = "MOCKPARTNER_WEBHOOK_SECRET"

// OnLoopback reports whether the webhooks go to this machine. They are then safe even if the
// scenario comes from an untrusted author.
func (w Webhooks) OnLoopback() bool {
	address, err := url.Parse(w.URL)
	return err == nil && (address.Hostname() == "localhost" || net.ParseIP(address.Hostname()).IsLoopback())
}

// DefaultWebhookTimeout is the default limit of one attempt.
const DefaultWebhookTimeout = 10 * time.Second

// Retries configures how often a webhook is sent again that got no answer, or one with status 5xx
// or 429. Zero values mean 5 attempts, a first backoff of one second that doubles each time, and a
// maximum backoff of 30 seconds.
type Retries struct {
	Attempts int      `yaml:"attempts" json:"attempts"`
	Backoff  Duration `yaml:"backoff" json:"backoff"`
	Max      Duration `yaml:"max" json:"max"`
}

const maxAttempts = 20

// Scheduled is an event by the sandbox's clock: the change of a slot or, without a slot, a
// sync/trigger.
type Scheduled struct {
	Every Span               `yaml:"every" json:"every,omitempty"` // the interval of a repeated trigger
	At    *Instant           `yaml:"at" json:"at,omitempty"`
	After Span               `yaml:"after" json:"after,omitempty"` // after the webhooks were configured
	Slot  *SlotName          `yaml:"slot" json:"slot,omitempty"`
	Set   *client.SlotChange `yaml:"set" json:"set,omitempty"`
}

// SlotName names a slot.
type SlotName struct {
	Product string `yaml:"product" json:"product"`
	Option  string `yaml:"option" json:"option"`
	ID      string `yaml:"id" json:"id,omitempty"`
	// FromDay, in place of an ID, selects the first slot, at least this many days from today, that
	// can be booked when the schedule starts.
	FromDay *int `yaml:"from_day" json:"from_day,omitempty"`
}

// maxFromDay is the last day that a marketplace looks ahead.
const maxFromDay = platform.MaxCalendarDays - 1

const maxScheduled = platform.MaxPlanned

// WithDefaults returns the webhooks with their defaults filled in. Its error begins with the location of
// the problem, and never contains the secret.
func (w Webhooks) WithDefaults() (Webhooks, error) {
	if err := checkTarget(w.URL); err != nil {
		return w, err
	}
	switch {
	case w.Secret != "" && w.SecretEnv != "":
		return w, invalid.ErrorAt("secret_env", "expected secret or secret_env, not both")
	case w.SecretEnv != "" && !strings.HasPrefix(w.SecretEnv, SecretVariable):
		return w, invalid.ErrorAt("secret_env", "expected %s, or a name that begins with it", SecretVariable)
	case w.SecretEnv == "":
		if err := w.Secret.check(); err != nil {
			return w, invalid.ErrorAt("secret", "%v", err)
		}
	}
	for i, cause := range w.On {
		if err := invalid.OneOf(fmt.Sprintf("on[%d]", i), cause, []client.Cause{client.CatalogChanged, client.StaffChange, client.BookingChange}); err != nil {
			return w, err
		}
	}
	if len(w.On) == 0 {
		w.On = []client.Cause{client.CatalogChanged, client.StaffChange}
	}
	if w.Timeout == 0 {
		w.Timeout = Duration(DefaultWebhookTimeout)
	}
	var err error
	if w.Retries, err = w.Retries.withDefaults(); err != nil {
		return w, err
	}
	if len(w.Schedule) > maxScheduled {
		return w, invalid.ErrorAt("schedule", "expected at most %d entries, received %d", maxScheduled, len(w.Schedule))
	}
	for i, s := range w.Schedule {
		if err := s.check(); err != nil {
			return w, invalid.Item("schedule", i, err)
		}
	}
	w.Faults, err = readyWebhookFaults(w.Faults)
	return w, err
}

// With returns the webhooks with what others add to them: further causes, further faults and, if
// the others set any, their retries. The target and the secret stay.
func (w Webhooks) With(others Webhooks) Webhooks {
	w.On = slices.Clone(w.On)
	for _, cause := range others.On {
		if !slices.Contains(w.On, cause) {
			w.On = append(w.On, cause)
		}
	}
	if others.Retries != (Retries{}) {
		w.Retries = others.Retries
	}
	w.Faults = slices.Concat(w.Faults, others.Faults)
	return w
}

const maxTarget = 2000

// checkTarget requires a URL that can be called and contains no secret, because every caller can
// read it.
func checkTarget(target string) error {
	const example = "such as http://127.0.0.1:8080/api/v1/partner-integrations/INTEGRATION"
	address, err := url.Parse(target)
	switch {
	case target == "":
		return invalid.ErrorAt("url", "expected the URL where the marketplace takes webhooks, %s", example)
	case err != nil || len(target) > maxTarget || address.Scheme != "http" && address.Scheme != "https" || address.Hostname() == "":
		return invalid.ErrorAt("url", "expected an http or https URL, %s", example)
	case address.User != nil:
		return invalid.ErrorAt("url", "expected a URL without user and password, %s", example)
	case address.RawQuery != "" || address.ForceQuery || address.Fragment != "":
		return invalid.ErrorAt("url", "expected a URL without query and fragment, %s", example)
	}
	return nil
}

func (r Retries) withDefaults() (Retries, error) {
	if r.Attempts == 0 {
		r.Attempts = 5
	}
	if r.Backoff == 0 {
		r.Backoff = Duration(time.Second)
	}
	if r.Max == 0 {
		r.Max = max(Duration(30*time.Second), r.Backoff)
	}
	if r.Max < r.Backoff {
		return r, invalid.ErrorAt("retries.max", "expected no less than backoff, %s, received %s", time.Duration(r.Backoff), time.Duration(r.Max))
	}
	return r, invalid.RequireRange("retries.attempts", r.Attempts, 1, maxAttempts)
}

func (s Scheduled) check() error {
	times := 0
	for _, given := range []bool{s.Every != 0, s.At != nil, s.After != 0} {
		if given {
			times++
		}
	}
	switch {
	case times != 1:
		return invalid.ErrorAt("at", "expected one of every, at and after")
	case s.Every != 0 && s.Every < minEvery:
		return invalid.ErrorAt("every", "expected at least %s, received %s", time.Duration(minEvery), time.Duration(s.Every))
	case s.Slot == nil && s.Set == nil:
		return nil
	case s.Every != 0:
		return invalid.ErrorAt("every", "a slot is set at a time, or after one: every is for triggers")
	case s.Slot == nil:
		return invalid.ErrorAt("slot", "expected the slot that is set: its product, option and id")
	case s.Set == nil:
		return invalid.ErrorAt("set", "expected what is set: status, vacancies or capacity")
	}
	if err := s.Slot.check(); err != nil {
		return err
	}
	if *s.Set == (client.SlotChange{}) {
		return invalid.ErrorAt("set", "expected status, vacancies or capacity")
	}
	return invalid.AddPrefix("set.", platform.CheckChange(*s.Set))
}

func (s SlotName) check() error {
	parts := []struct{ name, value string }{{"product", s.Product}, {"option", s.Option}}
	switch {
	case s.FromDay == nil:
		parts = append(parts, struct{ name, value string }{"id", s.ID})
	case s.ID != "":
		return invalid.ErrorAt("slot.from_day", "expected id or from_day, not both")
	default:
		if err := invalid.RequireRange("slot.from_day", *s.FromDay, 0, maxFromDay); err != nil {
			return err
		}
	}
	for _, part := range parts {
		if part.value == "" {
			return invalid.ErrorAt("slot."+part.name, "expected the id as the partner's answers have it")
		}
	}
	return nil
}

// Secret is the secret by which a marketplace identifies its partner (WHK-4). It is hidden when
// printed or written as JSON.
type Secret string

const hidden = "[redacted]"

// String hides the secret.
func (Secret) String() string { return hidden }

// GoString hides the secret.
func (Secret) GoString() string { return hidden }

// MarshalText hides the secret.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// UnmarshalYAML reads a secret, even digits without quotes.
func (s *Secret) UnmarshalYAML(node ast.Node) error {
	if !scalar(node) {
		return yamlfile.ErrorAt(node, "expected the secret as a text")
	}
	*s = Secret(node.GetToken().Value)
	return nil
}

// These are the bounds of a secret, in bytes. The contract's secrets have
// partnerapi.WebhookSecretLength digits. A secret shorter than minSecret could not be redacted
// without garbling other text.
const (
	minSecret = 8
	maxSecret = 256
)

// check validates a secret. Its error does not contain the secret.
func (s Secret) check() error {
	strange := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case s == "":
		return fmt.Errorf("expected the secret that registration returned: %d hexadecimal digits", partnerapi.WebhookSecretLength)
	case len(s) < minSecret, len(s) > maxSecret:
		return fmt.Errorf("expected %d to %d characters, received %d", minSecret, maxSecret, len(s))
	case strings.ContainsFunc(string(s), strange):
		return fmt.Errorf("expected letters, digits and other visible ASCII characters only")
	}
	return nil
}
