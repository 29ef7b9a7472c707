package webhook

import (
	"encoding/json"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/schemas/partnerapi"
)

// State is where a delivery is.
type State string

// The states. All but Pending and Held are final.
const (
	Pending   State = "pending"   // still to be sent, or to be tried again
	Held      State = "held"      // kept back by a fault until another one was sent
	Delivered State = "delivered" // answered with 2xx
	Failed    State = "failed"    // answered otherwise, or tried as often as it may be
	Dropped   State = "dropped"   // never sent, or given up: see Reason
)

// States lists the states.
func States() []State { return []State{Pending, Held, Delivered, Failed, Dropped} }

// The causes of a delivery beside those of package platform.
const (
	Scheduled platform.Cause = "schedule" // the clock came to it
	Asked     platform.Cause = "request"  // somebody asked for it
)

// Delivery is one webhook and what became of it.
type Delivery struct {
	Number uint64             `json:"number"` // from 1, in the order of the changes
	Kind   script.WebhookKind `json:"kind"`
	Cause  platform.Cause     `json:"cause"`
	At     time.Time          `json:"at"`              // when it came up, by the sandbox's clock
	Body   json.RawMessage    `json:"body,omitempty"`  // a trigger has none
	Fault  string             `json:"fault,omitempty"` // the fault that fired
	State  State              `json:"state"`
	// Presents is set where a fault has another secret sent, or none.
	Presents script.SecretFault `json:"presents,omitempty"`
	Reason   string             `json:"reason,omitempty"` // why it was dropped or has failed
	Attempts []Attempt          `json:"attempts"`
}

// Attempt is one call of the marketplace.
type Attempt struct {
	At         time.Time `json:"at"` // in real time
	DurationMS int64     `json:"durationMs"`
	Status     int       `json:"status,omitempty"` // 0: there was no answer
	Answer     string    `json:"answer,omitempty"` // the beginning of its body
	Error      string    `json:"error,omitempty"`  // why there was no answer, or none to be taken

	again      bool          // it may go better another time
	retryAfter time.Duration // what the marketplace asks for; 0: nothing
}

// delivery is a Delivery on its way.
type delivery struct {
	Delivery
	subject   script.WebhookSubject
	secret    string // what is presented in place of the secret; see Presents
	notBefore time.Time
	holdBack  script.HoldBack // empty: sent in its turn
	behind    *delivery       // the one that a delivery that is held back waits for
}

func trigger(cause platform.Cause, at time.Time) news {
	return news{subject: script.WebhookSubject{Kind: script.Trigger}, cause: cause, at: at}
}

// news is what a webhook is to tell.
type news struct {
	subject       script.WebhookSubject
	cause         platform.Cause
	at            time.Time
	before, after partnerapi.Notification
}

func notification(cause platform.Cause, at time.Time, productID, optionID string, before, after partnerapi.Slot) news {
	return news{
		subject: script.WebhookSubject{Kind: script.Notify, Product: productID, Option: optionID, Slot: after.ID},
		cause:   cause,
		at:      at,
		before:  before.Notification(productID, optionID),
		after:   after.Notification(productID, optionID),
	}
}

// unknownMark makes an id one that the marketplace cannot know.
const unknownMark = "-unknown"

// body returns what is sent of the news, nil for a trigger.
func (n news) body(fault script.WebhookActions) (json.RawMessage, error) {
	if n.subject.Kind == script.Trigger {
		return nil, nil
	}
	told := n.after
	if fault.Stale {
		told = n.before
	}
	switch fault.Unknown {
	case script.UnknownProduct:
		told.ProductID += unknownMark
	case script.UnknownOption:
		told.OptionID += unknownMark
	case script.UnknownSlot:
		told.AvailabilityID += unknownMark
	}
	return json.Marshal(told)
}
