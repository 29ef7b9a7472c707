package example

import (
	"fmt"

	"partnerkit.dev/conformance/rule"
)

// The examples of webhooks show what the partner sends. The status is the marketplace's answer.

// notification is the body of a notification of the slot in these examples.
func notification(vacancies int) string { return notificationOf("s-1", vacancies) }

func notificationOf(slot string, vacancies int) string {
	return fmt.Sprintf(`{"productId": "walk", "optionId": "am", "availabilityId": %q, "localDateTimeStart": "%sT09:00:00+01:00", "status": "AVAILABLE", "vacancies": %d}`, slot, today, vacancies)
}

// notify is a notification that the marketplace answers with that status.
func notify(about string, status int, body string) Step {
	return call(rule.Webhooks, about, status, body)
}

// notificationExample returns an example of what is notified after some calls.
func notificationExample(before []Step, right, wrong []Step) Example {
	return Example{append(before[:len(before):len(before)], right...), append(before[:len(before):len(before)], wrong...)}
}

var webhookExamples = map[string]Example{
	rule.WebhooksSecret.ID: pair(notify("with x-webhook-secret: the integration's secret", 200, notification(11)), notify("without x-webhook-secret", 400, notification(11))),
	rule.WebhooksBody.ID:   pair(notify("", 200, notification(11)), notify("", 400, `{"productId": "walk", "optionId": "am", "availabilityId": "s-1", "vacancies": "11"}`)),
	rule.WebhooksSlot.ID:   pair(notify("for the slot s-1", 200, notification(11)), notify("for the slot s-1", 200, notificationOf("4711", 11))),
	rule.WebhooksState.ID: notificationExample([]Step{availabilityStep("before", 12), correctCall(reserve, "for 1 guest")},
		[]Step{notify("", 200, notification(11))}, []Step{notify("", 200, notification(12))}),
	rule.WebhooksHold.ID: notificationExample([]Step{correctCall(reserve, "for 1 guest"), notify("", 200, notification(11))},
		[]Step{correctCall(reserve, "for 1 guest, in another slot"), notify("", 200, notificationOf("s-2", 11))}, []Step{correctCall(reserve, "for 1 guest, in another slot")}),
	rule.WebhooksRelease.ID: notificationExample([]Step{correctCall(reserve, "for 1 guest"), notify("", 200, notification(11)), correctCall(release, "")},
		[]Step{notify("", 200, notification(12))}, nil),
	rule.WebhooksOrder.ID: notificationExample([]Step{correctCall(reserve, "for 1 guest"), correctCall(reserve, "for 1 guest")},
		[]Step{notify("", 200, notification(11)), notify("", 200, notification(10))}, []Step{notify("", 200, notification(10)), notify("", 200, notification(11))}),
	rule.WebhooksRetry.ID: notificationExample([]Step{correctCall(reserve, "for 1 guest"), notify("", 503, notification(11))},
		[]Step{notify("a few seconds later", 200, notification(11))}, nil),
}
