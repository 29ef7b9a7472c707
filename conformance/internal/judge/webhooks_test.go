package judge

import (
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// notification is a valid notification with these vacancies.
func notification(vacancies int64) *inbox.Webhook {
	return &inbox.Webhook{Kind: inbox.Notify, ProductID: "walk", OptionID: "am", Slot: slotLeft(vacancies), Exchange: &report.Exchange{Endpoint: rule.Webhooks}}
}

func slotLeft(vacancies int64) discover.Slot {
	start := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	return discover.Slot{ID: "s", Start: start, StartText: start.Format(time.RFC3339), Status: partnerapi.StatusAvailable, Vacancies: &vacancies}
}

// change is a change after which the slot had these seats, and its notifications had those.
func change(left int64, notified ...int64) *scenario.Notified {
	n := &scenario.Notified{
		Change: "a hold", Offer: discover.Offer{Product: discover.Product{ID: "walk"}, Slot: slotLeft(left)},
		Seats: []*scenario.Reading{{Counted: true, Last: scenario.Look{Left: left, Slot: slotLeft(left)}}},
	}
	for _, vacancies := range notified {
		n.Received = append(n.Received, notification(vacancies))
	}
	return n
}

func otherProduct(n *scenario.Notified) *scenario.Notified {
	n.Offer.Product.ID = "sail"
	return n
}

// mail is the webhooks that arrived.
func mail(all ...*inbox.Webhook) inbox.Contents { return inbox.Contents{Webhooks: all} }

func TestWebhooksAreJudgedByWhatArrived(t *testing.T) {
	t.Parallel()
	bad := func(change func(*inbox.Webhook)) *inbox.Webhook {
		w := notification(9)
		change(w)
		return w
	}
	trigger := bad(func(w *inbox.Webhook) { w.Kind = inbox.Trigger })
	missing := bad(func(w *inbox.Webhook) { w.Secret = inbox.SecretMissing })
	wrong := bad(func(w *inbox.Webhook) { w.Secret = inbox.SecretWrong })
	unread := bad(func(w *inbox.Webhook) { w.Problems = []string{"/status: missing"} })
	stray := scenario.Webhooks{Contents: inbox.Contents{OtherRequests: []string{"POST /hooks"}}, Paths: []string{"/a", "/b"}}
	for _, test := range []struct {
		name    string
		judge   func(*scenario.Webhooks) Finding
		v       scenario.Webhooks
		outcome report.Outcome // "": passed
		says    string
	}{
		{"no webhook", secrets, scenario.Webhooks{}, report.NotApplicable, "sent no webhook"},
		{"requests elsewhere", secrets, stray, report.NotApplicable, "no webhook arrived at /a or /b; other requests arrived: POST /hooks"},
		{"the secret", secrets, scenario.Webhooks{Contents: mail(notification(9), trigger)}, "", ""},
		{"no secret", secrets, scenario.Webhooks{Contents: mail(notification(9), missing)}, report.Failed, "received none"},
		{"another secret", secrets, scenario.Webhooks{Contents: mail(wrong)}, report.Failed, "received another value"},
		{"only a trigger", notificationBodies, scenario.Webhooks{Contents: mail(trigger)}, report.NotApplicable, "no notification of a slot"},
		{"a body", notificationBodies, scenario.Webhooks{Contents: mail(notification(9))}, "", ""},
		{"no status", notificationBodies, scenario.Webhooks{Contents: mail(notification(9), unread)}, report.Failed, "/status: missing"},
	} {
		finds(t, test.name, test.judge(&test.v), test.outcome, test.says)
	}
}

func TestANotifiedSlotIsJudgedByWhatThePartnerHasNow(t *testing.T) {
	t.Parallel()
	known, moved := slotLeft(9), slotLeft(9)
	moved.Start, moved.StartText = moved.Start.Add(time.Hour), "an hour later"
	for _, test := range []struct {
		name    string
		look    scenario.Lookup
		outcome report.Outcome
		says    string
	}{
		{"an unknown product", scenario.Lookup{}, report.Failed, `the catalog has no product "walk"`},
		{"an unknown option", scenario.Lookup{Product: true}, report.Failed, `product "walk" has no option "am"`},
		{"a day that cannot be requested", scenario.Lookup{Product: true, Option: true}, "", ""},
		{"an unknown slot", scenario.Lookup{Product: true, Option: true, Asked: true}, report.Failed, `availability has no slot "s"`},
		{"a new slot", scenario.Lookup{Product: true, Option: true, Asked: true, Known: &known}, "", ""},
		{"another start", scenario.Lookup{Product: true, Option: true, Asked: true, Known: &moved}, report.Failed, "availability has an hour later for slot"},
	} {
		test.look.Notification = notification(9)
		finds(t, test.name, notifiedSlots(&scenario.Webhooks{Contents: mail(notification(9)), Lookups: []scenario.Lookup{test.look}}), test.outcome, test.says)
	}
	finds(t, "slots that the run has read", notifiedSlots(&scenario.Webhooks{Contents: mail(notification(9))}), "", "")
}

func TestNotificationsOfHoldsAreJudgedOnlyIfTheyAreSent(t *testing.T) {
	t.Parallel()
	row := func(calm bool, left int64, notified ...int64) *scenario.Row {
		return &scenario.Row{Notified: *change(left, notified...), Stable: calm}
	}
	once := func(refused *inbox.Webhook, again ...int64) *scenario.Notified {
		n := change(9, again...)
		n.Refused = refused
		return n
	}
	holds := func(all ...*scenario.Notified) scenario.Webhooks {
		return scenario.Webhooks{Holds: all, Wait: time.Minute}
	}
	with := func(v scenario.Webhooks, change func(*scenario.Webhooks)) scenario.Webhooks {
		change(&v)
		return v
	}
	twoHolds := holds(change(9, 9), otherProduct(change(9, 9)))
	gives := func(all ...*scenario.Notified) scenario.Webhooks {
		return with(twoHolds, func(v *scenario.Webhooks) { v.Returns = all })
	}
	rows := func(r *scenario.Row) scenario.Webhooks {
		return with(twoHolds, func(v *scenario.Webhooks) { v.Row = r })
	}
	repeats := func(n *scenario.Notified) scenario.Webhooks {
		return with(twoHolds, func(v *scenario.Webhooks) { v.Once = n })
	}
	silent := holds(change(9), otherProduct(change(9)))
	for _, test := range []struct {
		name    string
		judge   func(*scenario.Webhooks) Finding
		v       scenario.Webhooks
		outcome report.Outcome
		says    string
	}{
		{"no hold is notified", notifiedStates, silent, report.NotApplicable, "no notification of the run's own holds within 1m0s, which is optional"},
		{"no hold could be made", notifiedStates, scenario.Webhooks{Stop: partner.NewStop("no slot is free")}, report.Inconclusive, "no slot is free"},
		{"the state after the hold", notifiedStates, twoHolds, "", ""},
		{"the state before the hold, and then after it", notifiedStates, holds(change(9, 10, 9), otherProduct(change(9, 9))), "", ""},
		{"the state before the hold", notifiedStates, holds(change(9, 10), otherProduct(change(7, 8))), report.Failed, "after a hold: vacancies: availability has 9, the notification 10"},
		{"the state before one hold", notifiedStates, holds(change(9, 10), otherProduct(change(7, 7))), report.Inconclusive, "which another customer or the partner's staff may have caused"},
		{"a change by the staff at the moment of one hold", notifiedStates, holds(change(9, 10), otherProduct(change(7))), report.Inconclusive, "may have caused"},

		{"every hold", notifiedHolds, twoHolds, "", ""},
		{"one hold of two", notifiedHolds, holds(change(9, 9), otherProduct(change(9))), report.Failed, `in slot "s" of product "sail" within 1m0s`},
		{"holds in a row as one", notifiedHolds, rows(row(true, 7, 7)), "", ""},
		{"no hold", notifiedHolds, silent, report.NotApplicable, "optional"},

		{"a release", notifiedReleases, gives(change(10, 9, 10)), "", ""},
		{"no release", notifiedReleases, gives(change(10)), report.Failed, "none arrived"},
		{"a repeat of the hold after its release", notifiedReleases, gives(change(10, 9)), report.Failed, "received vacancies: availability has 10, the notification 9"},
		{"a release after a hold that was not notified", notifiedReleases, with(holds(change(9), otherProduct(change(9, 9))), func(v *scenario.Webhooks) { v.Returns = []*scenario.Notified{change(10)} }), report.Inconclusive, "not completed"},

		{"in order", notifiedInOrder, rows(row(true, 7, 9, 8, 7)), "", ""},
		{"repeated and skipped", notifiedInOrder, rows(row(true, 7, 9, 9, 7, 7)), "", ""},
		{"the last state each time", notifiedInOrder, rows(row(true, 7, 7, 7, 7)), "", ""},
		{"out of order", notifiedInOrder, rows(row(true, 7, 9, 7, 8)), report.Failed, "the one with vacancies 8 arrived after the one with 7"},
		{"among other customers", notifiedInOrder, rows(row(false, 7, 9, 7, 8)), report.Inconclusive, "other customers"},
		{"without vacancies", notifiedInOrder, rows(row(true, 7)), report.Inconclusive, "not notified with vacancies"},

		{"sent again", notifiedAgain, repeats(once(notification(9), 9)), "", ""},
		{"sent once", notifiedAgain, repeats(once(notification(9))), report.Failed, "received none"},
		{"nothing to refuse", notifiedAgain, repeats(once(nil)), report.Inconclusive, "could be refused"},
	} {
		finds(t, test.name, test.judge(&test.v), test.outcome, test.says)
	}
}
