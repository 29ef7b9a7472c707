package scenario

import (
	"context"
	"net/url"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas"
)

// Heard is the answer to one call, or why there is none.
type Heard struct {
	Answer *probe.Answer
	Stop   *Stop
}

// ProbeQuery is the query of a health probe.
func ProbeQuery() url.Values { return url.Values{"limit": {"1"}} }

// PlayPull returns the player of one more pull of the catalog.
func PlayPull(purpose string, query url.Values, key probe.Key) func(context.Context, *Player, int) Heard {
	return func(ctx context.Context, p *Player, _ int) (h Heard) {
		h.Answer, h.Stop = p.read.pull(ctx, purpose, query, key)
		return h
	}
}

// longAgo is before any product was modified.
const longAgo = "2000-01-01T00:00:00Z"

// PlayUpdatedSince pulls what changed since long ago, which is everything.
func PlayUpdatedSince(ctx context.Context, p *Player, _ int) Catalog {
	answer, stop := p.read.pull(ctx, "pull of what changed since "+longAgo, url.Values{"updated_since": {longAgo}}, probe.GoodKey)
	if stop != nil {
		return Catalog{Stop: stop}
	}
	c := p.read.readCatalog(ctx, answer, func(int, any, schemas.Problem) {})
	if p.survey.misfit != "" {
		c.Misfit = "" // what a full pull shows as well is seen there
	}
	return c
}

// PlayQuestion returns the player of the survey's first question, with another key.
func PlayQuestion(purpose string, key probe.Key) func(context.Context, *Player, int) Heard {
	return func(ctx context.Context, p *Player, _ int) (h Heard) {
		h.Answer, h.Stop = p.read.ask(ctx, purpose, PlaySurvey(ctx, p, 0).Answers[0].Question, key)
		return h
	}
}

// PlayUnknownConfirm confirms a code that no partner can know.
func PlayUnknownConfirm(ctx context.Context, p *Player, _ int) *Heard {
	return played(p, "confirm unknown", 0, func(h *Heard) {
		h.Answer, h.Stop = p.Book.Confirm(ctx, "confirm an unknown code", p.UnknownHold(), true, probe.GoodKey)
	})
}

// anyOffer returns an offer to enter what belongs to no slot, as far as there is one.
func (p *Player) anyOffer() discover.Offer {
	if p.survey != nil && len(p.survey.Offers) > 0 {
		return p.survey.Offers[0]
	}
	return discover.Offer{}
}

// PlayUnknownRelease releases a code that no partner can know.
func PlayUnknownRelease(ctx context.Context, p *Player, _ int) *Heard {
	return played(p, "release unknown", 0, func(h *Heard) {
		h.Answer, h.Stop = p.Book.Release(ctx, "release an unknown code", p.Book.UnknownCode(), probe.GoodKey)
	})
}

// PlayUnknownCancel cancels a booking that no partner can know.
func PlayUnknownCancel(ctx context.Context, p *Player, _ int) *Heard {
	return played(p, "cancel unknown", 0, func(h *Heard) {
		h.Answer, h.Stop = p.Book.Cancel(ctx, "cancel an unknown booking", p.Book.UnknownCode(), probe.GoodKey)
	})
}
