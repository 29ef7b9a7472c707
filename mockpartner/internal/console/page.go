package console

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
