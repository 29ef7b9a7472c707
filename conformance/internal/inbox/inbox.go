// Package inbox takes a partner's webhooks in place of a marketplace. It answers them as the
// marketplace does (WHK-3, WHK-4), and keeps what arrived, as evidence and for the judges. It
// judges nothing itself.
//
// An inbox may be reachable from the Internet, through a tunnel. It therefore reads and keeps a
// bounded amount, compares the secret in constant time, and never keeps it.
package inbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// mostConnections bounds the open connections, mostKept the webhooks that are kept and, beyond
	// them, those about expected slots, and mostEvidence the bytes of their bodies and headers that
	// are kept as evidence.
	mostConnections, mostKept, mostEvidence = 64, 20_000, 16 << 20
	// mostOtherRequests is the number of requests to other paths that are kept.
	mostOtherRequests = 5
	// largestHeader bounds a request's header, in bytes, and exchangeTime the time of one exchange.
	largestHeader, exchangeTime = 16 << 10, 10 * time.Second
	idleTime                    = time.Minute
)

// DefaultPath is the path of the address that a partner is given, if the user names none.
const DefaultPath = "/api/v1/partner-integrations/conformance"

// SecretVariable is the environment variable from which the command reads the secret. It also
// stands for the secret in curl commands.
const SecretVariable = "CONFORMANCE_WEBHOOK_SECRET"

// Kind is which of the two webhooks was sent.
type Kind string

const (
	Notify  Kind = "availability/notify" // WHK-2
	Trigger Kind = "sync/trigger"        // WHK-1
)

// Secret is how a webhook presented the integration's secret.
type Secret string

// The values of Secret.
const (
	SecretRight   Secret = ""
	SecretMissing Secret = "missing"
	SecretWrong   Secret = "wrong"
)

// Webhook is one webhook that arrived.
type Webhook struct {
	Number   int // 1, 2, 3, ... in the order of arrival
	Kind     Kind
	At       time.Time
	Secret   Secret
	Problems []string // why the marketplace refuses its body; nil if it does not, or if the secret is not right
	Status   int      // of the answer

	// The slot that a notification describes, if it has no problems.
	ProductID, OptionID string
	Slot                discover.Slot

	Exchange *report.Exchange
}

// IsValid reports whether the marketplace would use a webhook.
func (w *Webhook) IsValid() bool { return w.Secret == SecretRight && len(w.Problems) == 0 }

// IsAbout reports whether a webhook is a valid notification about a slot.
func (w *Webhook) IsAbout(productID, optionID, slotID string) bool {
	return w.Kind == Notify && w.IsValid() && w.ProductID == productID && w.OptionID == optionID && w.Slot.ID == slotID
}

// Config is where an inbox listens, and what it expects.
type Config struct {
	Listen string   // host and port; port 0 means any free one
	Secret string   // that webhooks must present
	URL    *url.URL // the integration's address that the partner was given; nil: DefaultPath at Listen
	Redact *probe.Redactor
}

// Inbox takes webhooks until it is closed. It is safe for concurrent use.
type Inbox struct {
	address  string
	path     string
	secret   [sha256.Size]byte
	redact   *probe.Redactor
	server   *http.Server
	finished chan struct{}

	mu            sync.Mutex
	webhooks      []*Webhook
	evidence      int // bytes
	otherRequests []string
	expected      map[slotKey]bool
	refusing      *slotKey      // the next notification about it is answered with 503
	arrived       chan struct{} // closed when a webhook arrives
}

type slotKey struct {
	productID, optionID, slotID string
}

// Open starts an inbox. Its error says why the address cannot be used.
func Open(c Config) (*Inbox, error) {
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		if op := (*net.OpError)(nil); errors.As(err, &op) {
			err = op.Err
		}
		return nil, fmt.Errorf("%s cannot be used (%w): name another address, such as 127.0.0.1:9100", c.Listen, err)
	}
	i := &Inbox{
		secret: sha256.Sum256([]byte(c.Secret)), redact: c.Redact, path: DefaultPath,
		address: "http://" + listener.Addr().String() + DefaultPath, finished: make(chan struct{}), arrived: make(chan struct{}), expected: map[slotKey]bool{},
	}
	if c.URL != nil {
		i.address, i.path = strings.TrimRight(c.URL.String(), "/"), strings.TrimRight(c.URL.Path, "/")
	}
	i.server = &http.Server{
		Handler: i, ReadTimeout: exchangeTime, WriteTimeout: exchangeTime, IdleTimeout: idleTime, MaxHeaderBytes: largestHeader,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(i.finished)
		_ = i.server.Serve(netutil.LimitListener(listener, mostConnections)) // ends with Close
	}()
	return i, nil
}

// Close stops listening and ends every connection.
func (i *Inbox) Close() {
	_ = i.server.Close()
	<-i.finished
}

// URL is the integration's address, below which the partner sends its webhooks.
func (i *Inbox) URL() string { return i.address }

// Paths returns the paths of the two webhooks, without the query.
func (i *Inbox) Paths() []string {
	return []string{i.path + partnerapi.AvailabilityNotifyPath, i.path + partnerapi.SyncTriggerPath}
}

// Contents is what has arrived so far.
type Contents struct {
	Webhooks      []*Webhook // in the order of arrival; they do not change
	OtherRequests []string   // requests to other paths, as method and path, of which the first few are kept
}

// Contents returns what has arrived so far.
func (i *Inbox) Contents() Contents {
	i.mu.Lock()
	defer i.mu.Unlock()
	return Contents{Webhooks: i.webhooks[:len(i.webhooks):len(i.webhooks)], OtherRequests: append([]string(nil), i.otherRequests...)}
}

// Count returns how many webhooks have arrived so far.
func (i *Inbox) Count() int { return len(i.Contents().Webhooks) }

// Await waits until the mail is enough, or ctx is done. It reports whether it was enough.
func (i *Inbox) Await(ctx context.Context, enough func(Contents) bool) bool {
	for {
		i.mu.Lock()
		arrived := i.arrived
		i.mu.Unlock()
		if enough(i.Contents()) {
			return true
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return enough(i.Contents())
		}
	}
}

// Expect names a slot whose notifications are kept however many others arrive.
func (i *Inbox) Expect(productID, optionID, slotID string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.expected[slotKey{productID, optionID, slotID}] = true
}

// RefuseOnce expects notifications about a slot, and answers the next valid one with 503.
func (i *Inbox) RefuseOnce(productID, optionID, slotID string) {
	i.Expect(productID, optionID, slotID)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refusing = &slotKey{productID, optionID, slotID}
}

// keep numbers a webhook and keeps it, and decides its answer. The exchange has its request only.
func (i *Inbox) keep(w *Webhook) {
	i.mu.Lock()
	defer i.mu.Unlock()
	slot := slotKey{}
	if w.IsValid() {
		slot = slotKey{w.ProductID, w.OptionID, w.Slot.ID} // empty of a trigger
	}
	if i.refusing != nil && *i.refusing == slot {
		i.refusing, w.Status = nil, http.StatusServiceUnavailable
	}
	if most := len(i.webhooks); most >= mostKept && (most == 2*mostKept || !i.expected[slot]) {
		return
	}
	w.Number = len(i.webhooks) + 1
	w.Exchange.Number = w.Number
	if i.evidence += int(w.Exchange.Request.Body.Size); i.evidence > mostEvidence {
		probe.Abridge(w.Exchange)
	}
	i.webhooks = append(i.webhooks, w)
}

// wake wakes those who await mail, once a webhook is complete.
func (i *Inbox) wake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	close(i.arrived)
	i.arrived = make(chan struct{})
}

func (i *Inbox) recordOther(r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if text := r.Method + " " + i.redact.Words(r.URL.Path); len(i.otherRequests) < mostOtherRequests {
		i.otherRequests = append(i.otherRequests, text)
	}
}
