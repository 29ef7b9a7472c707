package probe

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/anonymize"
	"partnerkit.dev/internal/redact"
	"partnerkit.dev/schemas/partnerapi"
)

// Recorded is an exchange that another program made.
type Recorded struct {
	Number          int
	Endpoint        partnerapi.Endpoint
	Named           string // the code or id in its path
	Started         time.Time
	Took, Limit     time.Duration
	Method, URL     string
	Request, Answer http.Header
	Body, Raw       []byte
	Status          int    // 0: no answer
	Error           string // why there was no answer
}

// Keyring collects the keys that recorded calls presented, and removes them from texts. Its zero
// value is empty.
type Keyring struct {
	known map[string]bool
	all   []*redact.Redactor
	first string
}

// mostKeys is the maximum number of keys that are searched for. A partner issues few.
const mostKeys = 20

// Learn remembers the key of an Authorization header.
func (k *Keyring) Learn(authorization string) {
	key := strings.TrimPrefix(authorization, bearer+" ")
	if key == "" || strings.Contains(key, Redacted) || k.known[key] || len(k.known) == mostKeys {
		return
	}
	if k.known == nil {
		k.known, k.first = map[string]bool{}, key
	}
	k.known[key] = true
	k.all = append(k.all, redact.New(key))
}

// Redactor returns the redactor of the first key, with which finished reports are searched.
func (k *Keyring) Redactor() *Redactor { return NewRedactor(k.first) }

// Redact returns text without the keys.
func (k *Keyring) Redact(text string) string {
	for _, one := range k.all {
		text = one.Redact(text)
	}
	return text
}

// Words returns text as a report shows it: without the keys, and shortened.
func (k *Keyring) Words(text string) string { return k.shorten(text, longestWords) }

func (k *Keyring) shorten(text string, most int) string {
	return shorten(text, most, k.Redact)
}

// ToAnswer returns the exchange without customers' data. Clean removes its keys when it is shown,
// because only a few of millions are shown.
func (x Recorded) ToAnswer(customers *anonymize.Masker) *Answer {
	x.Body, x.Raw = customers.Remove(x.Endpoint, x.Named, x.Body, x.Raw)
	shown := &report.Exchange{
		Number: x.Number, Endpoint: x.Endpoint, Purpose: "recorded " + string(x.Endpoint), StartedAt: x.Started, Duration: x.Took, Limit: x.Limit,
		Request: report.Request{Method: x.Method, URL: x.URL, Header: contractHeaders(x.Request), Body: recordedBody(x.Body)},
	}
	if x.Status == 0 {
		shown.Failure = &report.Failure{Kind: report.Reset, Message: x.Error}
		return &Answer{Exchange: shown}
	}
	shown.Response = &report.Response{Status: x.Status, Header: contractHeaders(x.Answer), Body: recordedBody(x.Raw)}
	return &Answer{Exchange: shown, Raw: x.Raw}
}

// recordedBody keeps enough of a body to be shown after redaction.
func recordedBody(raw []byte) report.Body {
	return report.Body{Text: string(raw[:min(len(raw), 3*longestText)]), Size: int64(len(raw))}
}

// CleanExchange prepares a recorded exchange for display: without keys, and shortened. Bodies that may name
// customers are shown only if they are JSON, without that data.
func (k *Keyring) CleanExchange(x report.Exchange) report.Exchange {
	x.Request.URL = k.shorten(x.Request.URL, longestText)
	x.Request.Header, x.Request.Body = k.header(x.Request.Header), k.body(x.Request.Body, x.Endpoint)
	if x.Response != nil {
		response := *x.Response
		response.Header, response.Body = k.header(response.Header), k.body(response.Body, x.Endpoint)
		x.Response = &response
	}
	if x.Failure != nil {
		x.Failure = &report.Failure{Kind: x.Failure.Kind, Message: k.shorten(x.Failure.Message, longestMessage)}
	}
	return x
}

func (k *Keyring) header(header http.Header) http.Header {
	shown := http.Header{}
	for name, values := range header {
		for _, value := range values {
			switch {
			case name != "Authorization":
				value = k.shorten(value, longestText)
			case strings.HasPrefix(value, bearer+" "):
				value = bearer + " " + Redacted
			default:
				value = Redacted
			}
			shown.Add(name, value)
		}
	}
	return shown
}

func (k *Keyring) body(b report.Body, of partnerapi.Endpoint) report.Body {
	books := of != partnerapi.Products && of != partnerapi.Availability
	if books && b.Size > 0 && (b.Size > int64(len(b.Text)) || !json.Valid([]byte(b.Text))) {
		b.Text, b.Cut = "(not JSON, or too long: left out, as it may name customers)", true
		return b
	}
	text, whole := Beginning(b.Text, longestText, k.Redact)
	b.Text, b.Cut = strings.ToValidUTF8(text, "\uFFFD"), !whole || b.Size > int64(len(b.Text))
	return b
}
