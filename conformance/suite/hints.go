package suite

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// hints adds to findings what is likelier than a breach: a mistake in the settings of the run, or a limit on calls.
type hints struct {
	config Config
	client *probe.Client
}

// addTo adds a hint to the message of a rule that is not kept, or of a partner that was not reached.
func (h hints) addTo(v *report.RuleResult) {
	if v.Outcome != report.Failed && v.Outcome != report.Warned && v.Outcome != report.Inconclusive {
		return
	}
	for i := range v.Exchanges {
		if hint := h.hintAbout(&v.Exchanges[i]); hint != "" {
			v.Message += ". " + hint
			return
		}
	}
}

func (h hints) hintAbout(x *report.Exchange) string {
	if x.Purpose == scenario.FirstPull {
		if hint := h.setup(x); hint != "" {
			return "Hint: " + hint
		}
	}
	if x.Response != nil && x.Response.Status == http.StatusServiceUnavailable && h.client.Serves(x.Endpoint) {
		return "Hint: the partner answers other calls to " + string(x.Endpoint) + ". If it limits the rate of calls, it must answer 429 with Retry-After. To see whether it does, run with --max-rps 5 or with --no-races"
	}
	return ""
}

// setup returns the mistake in the settings that the first answer suggests; "" if it suggests none.
func (h hints) setup(x *report.Exchange) string {
	if x.Failure != nil && strings.Contains(x.Failure.Message, `malformed HTTP response "\x15\x03`) {
		return "the server speaks TLS. Give --base-url with https"
	}
	if x.Response == nil {
		return ""
	}
	status, body := x.Response.Status, x.Response.Body.Text
	for _, wrong := range []struct {
		is   bool
		hint string
	}{
		{status == http.StatusUnauthorized || status == http.StatusForbidden, keyHint(h.config.AuthKey)},
		{h.isRedirectToTLS(x.Response), "the server redirects from http to https. Give --base-url with https"},
		{status == http.StatusBadRequest && h.config.BaseURL.Scheme == "http" && strings.Contains(strings.ToUpper(body), "HTTPS"), "the server speaks TLS. Give --base-url with https"},
		{isMarketplace(body), "the answer is one of the marketplace's own API. Give the partner's address as --base-url"},
		{endpointInPath(h.config.BaseURL.Path) != "", "--base-url ends in " + endpointInPath(h.config.BaseURL.Path) + ", and paths such as /products are joined below it. Leave it out"},
		{isWebPage(x.Response), "the answer is a web page. Give the address of the API as --base-url"},
	} {
		if wrong.is && wrong.hint != "" {
			return wrong.hint
		}
	}
	return ""
}

// keyHint returns what is odd about the form of a key; "" if nothing is. It never shows the key.
func keyHint(key string) string {
	scheme, _, two := strings.Cut(key, " ")
	switch {
	case two && slices.Contains([]string{"bearer", "basic", "token", "authorization:"}, strings.ToLower(scheme)):
		return "the key begins with \"" + scheme + " \". Give only what follows it: --auth-type says how it is sent"
	case len(key) > 1 && key[0] == key[len(key)-1] && strings.ContainsRune("\"'`", rune(key[0])):
		return "the key is in quotation marks. Give it without them"
	default:
		return ""
	}
}

func (h hints) isRedirectToTLS(answer *report.Response) bool {
	to, err := url.Parse(answer.Header.Get("Location"))
	return err == nil && answer.Status/100 == 3 && to.Scheme == "https" && h.config.BaseURL.Scheme == "http"
}

// isMarketplace reports whether a body has the marketplace's own form of errors.
func isMarketplace(body string) bool {
	var failed struct {
		Success *int      `json:"success"`
		Error   *[]string `json:"error"`
	}
	return json.Unmarshal([]byte(body), &failed) == nil && failed.Success != nil && *failed.Success == 0 && failed.Error != nil
}

func isWebPage(answer *report.Response) bool {
	return strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") || strings.HasPrefix(strings.TrimSpace(answer.Body.Text), "<")
}

// endpointInPath returns the last segment of a path if it is the beginning of an endpoint's path; "" if not.
func endpointInPath(base string) string {
	last := "/" + path.Base(base)
	if slices.Contains([]string{partnerapi.ProductsPath, partnerapi.AvailabilityPath, "/bookings"}, last) ||
		slices.Contains([]string{partnerapi.ReservePath, partnerapi.ConfirmPath}, "/"+path.Base(path.Dir(base))+last) {
		return last
	}
	return ""
}
