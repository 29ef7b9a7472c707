package judge

import (
	"fmt"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// A partner may send no webhooks, or only some (WHK-5). So a missing notification breaks no MUST
// rule, and only what was sent can be wrong.

func webhookSpecs() []Spec {
	one := func(r rule.Rule, judge func(*scenario.Webhooks) Finding) Spec {
		return spec(r, judgeOnce(scenario.PlayWebhooks, judge))
	}
	return []Spec{
		one(rule.WebhooksSecret, secrets),
		one(rule.WebhooksBody, notificationBodies),
		one(rule.WebhooksSlot, notifiedSlots),
		one(rule.WebhooksState, notifiedStates),
		one(rule.WebhooksHold, notifiedHolds),
		one(rule.WebhooksRelease, notifiedReleases),
		one(rule.WebhooksOrder, notifiedInOrder),
		one(rule.WebhooksRetry, notifiedAgain),
	}
}

func secrets(v *scenario.Webhooks) Finding {
	if len(v.Contents.Webhooks) == 0 {
		return noWebhooks(v)
	}
	return refusedWebhooks(v, func(w *inbox.Webhook) []string {
		switch w.Secret {
		case inbox.SecretMissing:
			return []string{"Expected the header x-webhook-secret with the integration's secret, received none"}
		case inbox.SecretWrong:
			return []string{"Expected the integration's secret in x-webhook-secret, received another value"}
		default:
			return nil
		}
	})
}

// noWebhooks finds that there is nothing to judge, and names what arrived elsewhere: a wrong path
// looks like no webhook at all.
func noWebhooks(v *scenario.Webhooks) Finding {
	f := notApplicable("the partner sent no webhook during the run, which is optional")
	if len(v.Contents.OtherRequests) > 0 {
		f.Message = fmt.Sprintf("no webhook arrived at %s; other requests arrived: %s", strings.Join(v.Paths, " or "), strings.Join(v.Contents.OtherRequests, ", "))
		f.Remedy = "Give the partner the address of --webhook-url, with its path."
	}
	return f
}

func notificationBodies(v *scenario.Webhooks) Finding {
	if !hasNotifications(v) {
		return noNotification(v)
	}
	return refusedWebhooks(v, func(w *inbox.Webhook) []string { return w.Problems })
}

// mostShownWebhooks is the number of refused webhooks that are shown as evidence.
const mostShownWebhooks = 3

// refusedWebhooks finds the flaws of the first webhook that has any.
func refusedWebhooks(v *scenario.Webhooks, flaws func(*inbox.Webhook) []string) Finding {
	var first []string
	var shown []*report.Exchange
	for _, w := range v.Contents.Webhooks {
		if found := flaws(w); len(found) > 0 && len(shown) < mostShownWebhooks {
			if shown = append(shown, w.Exchange); first == nil {
				first = found
			}
		}
	}
	return problems(first, shown...)
}

func hasNotifications(v *scenario.Webhooks) bool {
	for _, w := range v.Contents.Webhooks {
		if w.Kind == inbox.Notify {
			return true
		}
	}
	return false
}

func noNotification(v *scenario.Webhooks) Finding {
	if len(v.Contents.Webhooks) == 0 {
		return noWebhooks(v)
	}
	return notApplicable("the partner sent no notification of a slot during the run, which is optional")
}

// notifiedSlots judges the ids and the start in notifications of slots that can be booked.
func notifiedSlots(v *scenario.Webhooks) Finding {
	if !hasNotifications(v) {
		return noNotification(v)
	}
	for _, look := range v.Lookups {
		if flaw := unknownSlot(look); flaw != "" {
			f := Breach("%s", flaw).WithEvidence(look.Notification.Exchange)
			if look.Shown != nil {
				f = f.WithEvidence(look.Shown)
			}
			return f
		}
	}
	return Finding{}
}

func unknownSlot(look scenario.Lookup) string {
	w := look.Notification
	switch known := look.Known; {
	case !look.Product:
		return fmt.Sprintf("productId: the catalog has no product %q", w.ProductID)
	case !look.Option:
		return fmt.Sprintf("optionId: product %q has no option %q", w.ProductID, w.OptionID)
	case !look.Asked:
		return "" // outside the days that may be requested
	case known == nil:
		return fmt.Sprintf("availabilityId: availability has no slot %q of product %q, option %q on the day of %s", w.Slot.ID, w.ProductID, w.OptionID, w.Slot.StartText)
	case !known.Start.Equal(w.Slot.Start):
		return fmt.Sprintf("localDateTimeStart: availability has %s for slot %q, the notification %s", known.StartText, w.Slot.ID, w.Slot.StartText)
	default:
		return ""
	}
}

// reports finds why nothing can be judged about the run's own changes, if so.
func reports(v *scenario.Webhooks) Finding {
	switch {
	case v.Reports():
		return Finding{}
	case len(v.Holds) > 0 && v.Stop == nil:
		return notApplicable("the partner sent no notification of the run's own holds within %s, which is optional", v.Wait)
	default:
		return FromStop(partner.StopOrDefault(v.Stop))
	}
}

// notifiedStates judges what the notifications of single holds say. A partner may notify of other
// changes only, one of which may have happened at that moment. So two slots that the run had not
// touched before must show the same.
func notifiedStates(v *scenario.Webhooks) Finding {
	return reports(v).or(func() Finding {
		var wrong, right []*scenario.Notified
		for _, hold := range v.Holds {
			switch {
			case hold.IsReported():
				right = append(right, hold)
			case len(hold.Received) > 0:
				wrong = append(wrong, hold)
			}
		}
		switch {
		case len(wrong) == 0 && len(right) == 0:
			return Doubt("no hold of one seat caused a notification within %s", v.Wait)
		case len(wrong) == 0:
			return Finding{}
		case len(wrong) == 1:
			return Doubt("the notification of one hold differs from availability, which another customer or the partner's staff may have caused: %s", differs(wrong[0])).
				WithEvidence(evidenceOf(wrong[0])...).withRemedy("Run again at a quieter time, or against a test environment.")
		default:
			return Breach("after %s: %s", wrong[0].Change, differs(wrong[0])).WithEvidence(append(evidenceOf(wrong[0]), evidenceOf(wrong[1])...)...)
		}
	})
}

// differs returns how the last notification differs from the slot.
func differs(n *scenario.Notified) string { return n.Differs(n.Received[len(n.Received)-1]) }

// evidenceOf returns the last notification of a change, and the seats after it.
func evidenceOf(n *scenario.Notified) (all []*report.Exchange) {
	for _, read := range n.Seats[:min(1, len(n.Seats))] {
		all = append(all, read.Last.Shown)
	}
	if len(n.Received) > 0 {
		all = append(all, n.Received[len(n.Received)-1].Exchange)
	}
	return all
}

func notifiedHolds(v *scenario.Webhooks) Finding {
	return reports(v).or(func() Finding {
		all := v.Holds
		if v.Row != nil {
			all = append(all[:len(all):len(all)], &v.Row.Notified)
		}
		var reported, silent []*scenario.Notified
		for _, n := range all {
			switch {
			case n.IsReported():
				reported = append(reported, n)
			case len(n.Received) == 0:
				silent = append(silent, n)
			}
		}
		if len(silent) == 0 || len(reported) == 0 {
			return Finding{}
		}
		n := silent[0]
		return Breach("Expected a notification of %s in slot %q of product %q within %s, as of %s in slot %q of product %q; none arrived",
			n.Change, n.Offer.Slot.ID, n.Offer.Product.ID, v.Wait, reported[0].Change, reported[0].Offer.Slot.ID, reported[0].Offer.Product.ID).
			WithEvidence(append(evidenceOf(reported[0]), evidenceOf(n)...)...)
	})
}

// notifiedReleases judges the release and the cancellation of holds that were notified.
func notifiedReleases(v *scenario.Webhooks) Finding {
	return reports(v).or(func() Finding {
		judged := false
		for _, n := range v.Returns {
			held := heldOf(v, n.Offer)
			if held == nil || !held.IsReported() {
				continue
			}
			judged = true
			if n.IsReported() {
				continue
			}
			received := "none arrived"
			if len(n.Received) > 0 {
				received = "received " + differs(n)
			}
			return Breach("Expected a notification of %s within %s, as of the hold before it: %s", n.Change, v.Wait, received).
				WithEvidence(append(evidenceOf(held), evidenceOf(n)...)...)
		}
		return requireFact(judged, v.Stop)
	})
}

func heldOf(v *scenario.Webhooks, offer discover.Offer) *scenario.Notified {
	for _, hold := range v.Holds {
		if hold.Offer.Key() == offer.Key() {
			return hold
		}
	}
	return nil
}

// notifiedInOrder judges the notifications of several holds in one slot. Each hold takes a seat, so
// the vacancies must never rise. A partner may skip notifications, repeat them, or send the slot's
// state at the time of sending.
func notifiedInOrder(v *scenario.Webhooks) Finding {
	return reports(v).or(func() Finding {
		switch {
		case v.Row == nil:
			return FromStop(partner.StopOrDefault(v.Stop))
		case !v.Row.Stable:
			return Doubt("other customers moved the seats of the slot with several holds").
				withRemedy("Run again at a quieter time, or against a test environment.")
		}
		var before *inbox.Webhook
		for _, w := range v.Row.Received {
			if w.Slot.Vacancies == nil {
				continue
			}
			if before != nil && *w.Slot.Vacancies > *before.Slot.Vacancies {
				return Breach("Expected the notifications of several holds in one slot in their order: the one with vacancies %d arrived after the one with %d",
					*w.Slot.Vacancies, *before.Slot.Vacancies).WithEvidence(before.Exchange, w.Exchange)
			}
			before = w
		}
		return requireFact(before != nil, partner.NewStop("the several holds in one slot were not notified with vacancies"))
	})
}

// notifiedAgain judges whether a notification that was answered with 503 was sent again.
func notifiedAgain(v *scenario.Webhooks) Finding {
	return reports(v).or(func() Finding {
		switch hold := v.Once; {
		case hold == nil:
			return FromStop(partner.StopOrDefault(v.Stop))
		case hold.Refused == nil:
			return Doubt("no notification arrived that could be refused")
		case len(hold.Received) == 0:
			return Breach("Expected the notification that was answered with 503 again within %s, received none", v.Wait.Round(time.Second)).
				WithEvidence(hold.Refused.Exchange)
		default:
			return Finding{Exchanges: []*report.Exchange{hold.Refused.Exchange, hold.Received[0].Exchange}}
		}
	})
}
