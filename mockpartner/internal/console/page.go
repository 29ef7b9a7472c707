package console

import (
	"cmp"
	"net/http"
	"net/url"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/sandbox"
)

// page is what the template reads: the sandbox, arranged for the eye.
type page struct {
	Sandbox   string
	Base      string // where the partner endpoints lie
	Clock     clockPanel
	Slots     slotsPanel
	Exchanges exchangesPanel
	Holds     holdsPanel
	Bookings  bookingsPanel
	Faults    faultsPanel
	Parts     []partsPanel
	Caller    callerPanel
	Webhooks  webhooksPanel
	Sandboxes sandboxesPanel
	Lost      string // a refusal whose form is gone
}

// builder arranges one page.
type builder struct {
	console *Console
	request *http.Request
	box     *sandbox.Sandbox
	inside  platform.Inside
	choice  chosen
	refused refused
	placed  bool // the refusal stands at its form
}

func (b *builder) page() page {
	b.inside = b.box.Platform().Inside()
	p := page{
		Sandbox:   b.box.Name(),
		Base:      b.base(),
		Clock:     b.clock(),
		Slots:     b.slots(),
		Exchanges: b.exchanges(),
		Holds:     b.holds(),
		Bookings:  b.bookings(),
		Faults:    b.faults(),
		Parts:     b.parts(),
		Caller:    b.caller(),
		Webhooks:  b.webhooks(),
		Sandboxes: b.sandboxes(),
	}
	if !b.placed {
		p.Lost = b.refused.message
	}
	return p
}

// base is where the sandbox lies, as the browser sees it.
func (b *builder) base() string {
	scheme := "http"
	if b.request.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + b.request.Host + sandbox.Prefix(b.box.Name())
}

// call completes a call: with its curl line, and with the refusal if it was
// refused just now, and then with what was entered.
func (b *builder) call(c call) call {
	c.Action = b.choice.href()
	if c.ID == b.refused.id {
		c.Refusal, b.placed = b.refused.message, true
		for i, f := range c.Fields {
			if f.Kind == secretField {
				continue // it is entered again
			}
			entered := url.Values(b.refused.form).Get(f.Input())
			c.Fields[i].Checked = entered != ""
			c.Fields[i].Value = cmp.Or(entered, f.Value)
		}
	}
	body, _ := bodyOf(c.form()) // what is wrong with it is said when it is sent
	c.Curl = curl(c.Method, b.base()+b.console.Path+c.Path, body, b.console.Token)
	return c
}
