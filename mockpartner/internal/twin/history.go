package twin

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"partnerkit.dev/internal/bounded"
	"partnerkit.dev/internal/har"
	"partnerkit.dev/internal/recording"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// history is all known calls of the contract, in the order of time.
type history struct {
	calls     []*call
	called    int // number of calls that were made to learn
	counts    recording.Counts
	secrets   *secrets
	pull      *call                 // the call that the catalog is learned from
	wrapper   string                // the field that contains its products; empty if the answer is the list itself
	acted     map[platform.Case]int // number of calls that took effect although they were answered with an error
	ofLast    []string              // the differences of the last slot of a list only
	slotPatch string                // the same for its slots
	patch     string                // the jq that turns the twin's products into the partner's
}

// call is one call of the contract with its answer.
type call struct {
	har.Exchange
	endpoint partnerapi.Endpoint
	named    string     // the code or id in the path
	key      credential // the key that the caller presented
	live     bool       // it was made to learn
	keyless  bool       // if it shows no key, it had none
	lost     bool       // it is unknown what it has changed

	request, answer any // parsed JSON; nil if they are not JSON
	json            bool
}

// credential is what a caller presented.
type credential string

const (
	goodKey    credential = "good"
	wrongKey   credential = "wrong"
	missingKey credential = "missing"
)

func (c *call) hasGoodKey() bool { return c.key == goodKey }

func (c *call) succeeded2xx() bool { return c.Status >= 200 && c.Status < 300 }

// field returns the value at the path of names in a JSON object, or nil.
func field(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

// maxRecording is the maximum size of a recording, in calls of the contract.
const maxRecording = 200_000

// maxKept is the maximum size of a history's bodies, in bytes, and maxValues that of their names and values,
// each of which takes some hundred bytes when it is decoded.
const maxKept, maxValues = 256 << 20, 5_000_000

// read adds the calls of the recordings.
func (h *history) read(ctx context.Context, o Options) error {
	kept, values := 0, 0
	for x, err := range recording.Read(ctx, o.Recordings, o.Only, &h.counts) {
		if err != nil {
			return err
		}
		kept += len(x.Body) + len(x.Answer)
		values += bounded.Values(x.Body) + bounded.Values(x.Answer)
		if len(h.calls) == maxRecording || kept > maxKept || values > maxValues {
			return fmt.Errorf("the recordings have more than %d calls, %d MiB, or %d names and values: give a part of them", maxRecording, maxKept>>20, maxValues)
		}
		c := &call{Exchange: x.Exchange, endpoint: x.Endpoint, named: x.Named, keyless: !x.KeyUnknown && x.Header != nil}
		if x.Unreadable != "" && len(h.calls) > 0 {
			c.Started = h.calls[len(h.calls)-1].Started
		}
		c.lost = x.MayChange() && (x.Unreadable != "" || x.BodyCut || x.AnswerCut && c.succeeded2xx())
		h.calls = append(h.calls, c)
	}
	return nil
}

// prepare sorts the calls, parses their bodies, classifies their keys, and notes the secrets.
func (h *history) prepare() {
	slices.SortStableFunc(h.calls, func(a, b *call) int { return a.Started.Compare(b.Started) })
	good := h.goodAuthorization()
	for _, c := range h.calls {
		if !c.live {
			switch given := c.Header.Get("Authorization"); given {
			case "":
				c.key = missingKey
			case good:
				c.key = goodKey
			default:
				c.key = wrongKey
			}
			if (good == "" || c.key == missingKey && !c.keyless) && c.Status != http.StatusUnauthorized { // the recorder left the header out
				c.key = goodKey
			}
		}
		c.parse()
		h.hide(c)
	}
	for _, c := range h.calls { // codes come last, because the number of searched texts is limited and personal data is more important
		h.hideCodes(c)
	}
}

// goodAuthorization returns the most common header of calls with a successful answer.
func (h *history) goodAuthorization() (good string) {
	answered := map[string]int{}
	for _, c := range h.calls {
		if given := c.Header.Get("Authorization"); !c.live && c.succeeded2xx() && given != "" {
			answered[given]++
		}
	}
	for given, times := range answered {
		if times > answered[good] || times == answered[good] && given < good {
			good = given
		}
	}
	return good
}

func (c *call) parse() {
	c.request, _ = decode(c.Body)
	c.answer, c.json = decode(c.Answer)
}

// decode reads one JSON value and keeps numbers as they are written.
func decode(raw []byte) (value any, ok bool) {
	err := bounded.Decode(raw, &value, decoded)
	return value, err == nil
}

// decoded limits an answer that is decoded.
var decoded = bounded.Limits{Bytes: maxAnswer, Depth: 10_000, Values: 4_000_000}

// hide notes the parts of a call that must not get into a scenario.
func (h *history) hide(c *call) {
	for _, values := range c.Header {
		for _, value := range values {
			_, key, _ := strings.Cut(value, " ")
			if strings.Contains(value, "[redacted]") {
				continue
			}
			if len(value) > 20 || c.Header.Get("Authorization") == value {
				h.secrets.add(value)
				h.secrets.add(key)
			}
		}
	}
	if c.endpoint == partnerapi.Products || c.endpoint == partnerapi.Availability {
		return
	}
	for _, body := range []any{c.request, c.answer} {
		if contact, ok := field(body, "contact").(map[string]any); ok {
			for _, value := range contact {
				h.secrets.add(fmt.Sprint(value))
			}
		}
	}
}

// hideCodes notes the codes and ids of a booking.
func (h *history) hideCodes(c *call) {
	if c.endpoint == partnerapi.Products || c.endpoint == partnerapi.Availability {
		return
	}
	h.secrets.add(c.named)
	for _, name := range []string{"reservationConfirmationCode", "externalBookingId", "uuid", "resellerReference"} {
		h.secrets.add(text(field(c.request, name)))
		h.secrets.add(text(field(c.answer, name)))
	}
}

// callsTo returns the calls of an endpoint that fit. They are known completely, answers aside.
func (h *history) callsTo(endpoint partnerapi.Endpoint, fits func(*call) bool) (found []*call) {
	for _, c := range h.calls {
		if c.endpoint == endpoint && !c.BodyCut && c.Unreadable == "" && fits(c) {
			found = append(found, c)
		}
	}
	return found
}

// majority returns the most common value and its count. Of several, it returns the smallest.
func majority[V cmp.Ordered](values []V) (most V, times int) {
	count := map[V]int{}
	for _, value := range values {
		count[value]++
	}
	for value, n := range count {
		if n > times || n == times && value < most {
			most, times = value, n
		}
	}
	return most, times
}
