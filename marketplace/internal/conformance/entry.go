package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"partnerkit.dev/internal/anonymize"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/internal/recording"
	"partnerkit.dev/internal/redact"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// mostRedactors is the number of keys whose redactors are kept.
const mostRedactors = 1000

// writer writes calls as the judge reads them, without keys and guests' data.
type writer struct {
	masker    *anonymize.Masker
	keys      *anonymize.Pseudonyms
	redactors map[string]*redact.Redactor
}

func newWriter() *writer {
	return &writer{anonymize.NewMasker(), anonymize.NewPseudonyms(uuid.NewString()[:8]), map[string]*redact.Redactor{}}
}

// write writes a call as a line of the judge's input.
func (w *writer) write(to io.Writer, i item) error {
	x := &recording.Exchange{Endpoint: i.Endpoint, Exchange: har.Exchange{
		Started: i.started, Took: i.Took, Method: i.Method, URL: i.URL, Header: contractHeaders(i.Header), Status: i.Status,
		AnswerHeader: contractHeaders(i.Answered), Answer: i.Answer, AnswerCut: i.Cut, Error: i.Failure, Body: i.Body,
	}}
	x.Limit("") // decoding it takes memory of the service
	_, _, named, _ := partnerapi.CallOf(i.Method, i.URL)
	x.Body, x.Answer = w.masker.Mask(i.Endpoint, named, x.Body, x.Answer)
	entry := anonymize.Entry(&x.Exchange, w.redactor(i.target.AuthKey).Redact, w.keys)
	entry.Stream = har.Stream{History: historyOf(i.target), Until: i.until, Tickets: i.target.Tickets}
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(entry)
}

func (w *writer) redactor(key string) *redact.Redactor {
	r := w.redactors[key]
	if r == nil {
		if len(w.redactors) == mostRedactors {
			clear(w.redactors)
		}
		r = redact.New(key)
		w.redactors[key] = r
	}
	return r
}

// contractHeaders returns the headers that the contract mentions. Others may contain anything.
func contractHeaders(header http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Authorization", "Content-Type", "Date", "Retry-After"} {
		if values := header[name]; len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}

// historyOf returns the name of the history of a partner. Another address may be another platform,
// with the same ids.
func historyOf(t partner.Target) string {
	of := t.BaseURL.String()
	if t.Tickets {
		of += " tickets"
	}
	sum := sha256.Sum256([]byte(of))
	return t.ID.String() + "/" + hex.EncodeToString(sum[:6])
}

// integrationOf returns the integration that a history is about.
func integrationOf(history string) (uuid.UUID, error) {
	id, _, _ := strings.Cut(history, "/")
	return uuid.Parse(id)
}
