package probe

import (
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// Received is a request that the partner sent.
type Received struct {
	*http.Request
	Body     []byte
	At       time.Time
	Endpoint partnerapi.Endpoint // what it is evidence of
	Purpose  string
	Address  string // that it was sent to
	Secret   string // the variable of the shell that has the secret; "" if it presented another
}

// ReceivedExchange returns the exchange of a received request, as evidence. Call Answered when its answer
// is known.
func (r *Redactor) ReceivedExchange(x Received) *report.Exchange {
	e := &report.Exchange{
		Endpoint: x.Endpoint, Purpose: x.Purpose, StartedAt: x.At,
		Request: report.Request{
			Method: x.Method, URL: r.shorten(x.Address, longestText),
			Header: r.webhookHeaders(x.Header), Body: r.body(x.Body),
		},
	}
	e.Curl = receivedCurl(e, x.Secret)
	return e
}

// receivedCurl returns the command that repeats a received request.
func receivedCurl(e *report.Exchange, secret string) string {
	line := []string{"curl", "-i", "-X", e.Request.Method}
	switch {
	case secret != "":
		line = append(line, "-H", `"`+partnerapi.WebhookSecretHeader+": $"+secret+`"`)
	case e.Request.Header.Get(partnerapi.WebhookSecretHeader) != "":
		line = append(line, "-H", quote(partnerapi.WebhookSecretHeader+": another"))
	}
	if declared := e.Request.Header.Get("Content-Type"); declared != "" {
		line = append(line, "-H", quote("Content-Type: "+declared))
	}
	if e.Request.Body.Size > 0 {
		line = append(line, "--data-raw", quote(e.Request.Body.Text))
	}
	return strings.Join(append(line, quote(e.Request.URL)), " ")
}

// webhookHeaders returns the headers of a webhook that the contract names. Tunnels add many others. A
// wrong secret is as secret as the right one: it may be that of another integration.
func (r *Redactor) webhookHeaders(header http.Header) http.Header {
	shown := http.Header{}
	for _, name := range []string{"Content-Type", "User-Agent"} {
		for _, value := range header.Values(name) {
			shown.Add(name, r.shorten(value, longestMessage))
		}
	}
	if len(header.Values(partnerapi.WebhookSecretHeader)) > 0 {
		shown.Set(partnerapi.WebhookSecretHeader, Redacted)
	}
	if header.Get("Authorization") != "" {
		shown.Set("Authorization", Redacted)
	}
	return shown
}

// SetAnswer adds the answer to a received exchange.
func SetAnswer(e *report.Exchange, status int, body []byte, took time.Duration) {
	e.Duration = took
	e.Response = &report.Response{
		Status: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: report.Body{Text: string(body), Size: int64(len(body))},
	}
}
