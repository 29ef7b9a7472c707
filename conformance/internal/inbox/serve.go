package inbox

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// largestBody bounds a body, in bytes, as the marketplace does.
const largestBody = 1 << 20

// mostProblems is the number of problems of one body that are kept.
const mostProblems = 5

// ServeHTTP answers one request.
func (i *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, below := strings.CutPrefix(r.URL.Path, i.path)
	kind := Notify
	switch {
	case below && rest == partnerapi.AvailabilityNotifyPath:
	case below && rest == partnerapi.SyncTriggerPath:
		kind = Trigger
	default:
		i.recordOther(r)
		answer(w, http.StatusNotFound, problem(http.StatusNotFound, "there is no such path"))
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		answer(w, http.StatusMethodNotAllowed, problem(http.StatusMethodNotAllowed, "expected POST"))
		return
	}
	i.take(w, r, kind)
}

// take keeps one webhook and answers it, in the order in which the marketplace checks: the secret,
// the content type, the body.
func (i *Inbox) take(w http.ResponseWriter, r *http.Request, kind Kind) {
	began := time.Now()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
	hook := &Webhook{Kind: kind, At: began, Status: http.StatusOK}
	given := r.Header.Get(partnerapi.WebhookSecretHeader)
	switch {
	case len(slices.Compact(slices.Clone(r.Header.Values(partnerapi.WebhookSecretHeader)))) > 1: // it says two things
		hook.Secret, hook.Status = SecretWrong, http.StatusBadRequest
	case given == "":
		hook.Secret, hook.Status = SecretMissing, http.StatusBadRequest
	case !i.isSecret(given):
		hook.Secret, hook.Status = SecretWrong, http.StatusUnauthorized
	case kind == Notify:
		hook.read(r.Header.Get("Content-Type"), body, err)
	}
	variable := ""
	if hook.Secret == SecretRight {
		variable = SecretVariable
	}
	hook.Exchange = i.redact.ReceivedExchange(probe.Received{
		Request: r, Body: body, At: began, Endpoint: rule.Webhooks, Purpose: "receive " + string(kind), Address: i.address + "/" + string(kind), Secret: variable,
	})
	i.keep(hook)
	text := hook.answer()
	probe.SetAnswer(hook.Exchange, hook.Status, []byte(i.redact.Redact(text)), time.Since(began))
	i.wake()
	if hook.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	answer(w, hook.Status, text)
}

// isSecret compares in constant time, also for another length.
func (i *Inbox) isSecret(given string) bool {
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], i.secret[:]) == 1
}

// read reads a notification as the marketplace does.
func (h *Webhook) read(contentType string, body []byte, err error) {
	refuse := func(status int, problems ...string) { h.Status, h.Problems = status, problems }
	media, _, mediaErr := mime.ParseMediaType(contentType)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refuse(http.StatusRequestEntityTooLarge, "Expected a body of at most 1 MiB, received a larger one")
		return
	}
	switch problems := schemas.Validate(schemas.AvailabilityNotifyRequest, body); {
	case err != nil:
		refuse(http.StatusBadRequest, "Expected a complete body, received only its beginning")
	case len(body) == 0:
		refuse(http.StatusBadRequest, "Expected a JSON object, received no body")
	case mediaErr != nil || media != "application/json":
		refuse(http.StatusUnsupportedMediaType, "Expected Content-Type: application/json, received "+nameContentType(contentType))
	case len(problems) > 0:
		refuse(http.StatusBadRequest)
		for _, p := range problems[:min(len(problems), mostProblems)] {
			h.Problems = append(h.Problems, p.String())
		}
	default:
		if h.parse(body); !h.Slot.End.IsZero() && !h.Slot.End.After(h.Slot.Start) {
			refuse(http.StatusBadRequest, "/localDateTimeEnd: expected a time after localDateTimeStart")
		}
	}
}

func nameContentType(contentType string) string {
	if contentType == "" {
		return "none"
	}
	return contentType[:min(len(contentType), 100)]
}

// parse reads the slot of a valid notification. A notification has the fields of a slot, except
// that its id has another name.
func (h *Webhook) parse(body []byte) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var fields map[string]any
	if decoder.Decode(&fields) != nil {
		return // the schema has accepted it
	}
	h.ProductID, _ = fields["productId"].(string)
	h.OptionID, _ = fields["optionId"].(string)
	fields["id"] = fields["availabilityId"]
	h.Slot = discover.ReadSlot(fields)
}

// answer returns the body of the answer to a webhook.
func (h *Webhook) answer() string {
	switch {
	case h.Status == http.StatusServiceUnavailable:
		return problem(h.Status, "the conformance suite refuses this webhook once, to see that it is sent again")
	case h.Secret == SecretMissing:
		return problem(h.Status, "the header x-webhook-secret is missing")
	case h.Secret == SecretWrong:
		return problem(h.Status, "unauthorized access")
	case len(h.Problems) > 0:
		return problem(h.Status, h.Problems...)
	case h.Kind == Trigger:
		return `{"success":1,"data":{"synced":0,"skipped":true}}`
	default:
		return `{"success":1,"data":{"updated":true}}`
	}
}

// codes are the error codes of the reseller API, by status.
var codes = map[int]string{
	http.StatusBadRequest: "invalid_request", http.StatusUnauthorized: "unauthorized", http.StatusNotFound: "not_found",
	http.StatusMethodNotAllowed: "method_not_allowed", http.StatusRequestEntityTooLarge: "body_too_large",
	http.StatusUnsupportedMediaType: "unsupported_media_type", http.StatusServiceUnavailable: "service_unavailable",
}

// problem returns an error in the shape of the reseller API (WHK-4).
func problem(status int, details ...string) string {
	text, err := json.Marshal(map[string]any{"success": 0, "error": details, "message": details[0], "code": status, "error_code": codes[status]})
	if err != nil {
		return "{}"
	}
	return string(text)
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // a partner that does not wait for the answer needs none
}
