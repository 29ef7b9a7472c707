package rule

import "partnerkit.dev/schemas/partnerapi"

// Webhooks represents the webhooks that a partner sends, where rules name an endpoint.
const Webhooks partnerapi.Endpoint = "webhooks"

// Endpoints lists what rules are about, in the order of reports: the partner's endpoints, and
// Webhooks.
func Endpoints() []partnerapi.Endpoint { return append(partnerapi.Endpoints(), Webhooks) }

// What a partner sends to the marketplace: POST /sync/trigger and POST /availability/notify.
var (
	WebhooksSecret = webhooks.must("webhooks.secret", "WHK-5", "A webhook presents the integration's secret").needs("reserve.code").
			withReason("Without the secret, the marketplace answers 400 or 401 and ignores the notification.").
			fix("Send the secret that registration returned in the header x-webhook-secret, complete and without quotes.")
	WebhooksBody = webhooks.must("webhooks.body", "WHK-2", "A notification has the fields of a notification, in JSON").needs("webhooks.secret").
			withReason("The marketplace refuses a notification that it cannot read, and the slot stays unchanged.").
			fix("Send productId, optionId, availabilityId, localDateTimeStart and status, with Content-Type: application/json.")
	WebhooksSlot = webhooks.must("webhooks.slot", "WHK-6", "A notification names a slot by the ids and the start that availability has").needs("webhooks.body", "availability.json").
			withReason("An unknown id makes the marketplace pull the complete catalog, and leaves the slot unchanged. A wrong start moves the slot to another time.").
			fix("Take productId, optionId, availabilityId and localDateTimeStart from the source that answers GET /products and POST /availability.")
	WebhooksState = webhooks.must("webhooks.state", "WHK-7", "A notification states what availability shows after the change").needs("webhooks.slot", "reserve.vacancies.one").
			withReason("The marketplace stores what the notification says. Seats that are taken are offered again, or free ones are not sold.").
			fix("Write the notification after the transaction that changes the seats, from the source that answers POST /availability.")
	WebhooksHold = webhooks.should("webhooks.hold", "WHK-8", "A partner that notifies of some holds notifies of all").needs("webhooks.state").
			withReason("A marketplace that is notified of some changes expects to be notified of all, and pulls availability less often.").
			fix("Send the notification where the seats change, for every product, and keep it in a queue until it is answered.")
	WebhooksRelease = webhooks.should("webhooks.release", "WHK-8", "A partner that notifies of holds also notifies of releases and cancellations").
			needs("webhooks.state", "release.vacancies.one").
			withReason("For the marketplace, the seats are still taken. It offers them again only after its next pull.").
			fix("Send a notification wherever seats are returned: at release, expiry and cancellation.")
	WebhooksOrder = webhooks.should("webhooks.order", "WHK-9", "Notifications of one slot arrive in the order of its changes").needs("webhooks.state").
			withReason("The marketplace stores the notification that arrives last. A late one undoes a newer one.").
			fix("Send the notifications of one slot one after another, or read the slot's state when you send, not when it changes.")
	WebhooksRetry = webhooks.should("webhooks.retry", "WHK-10", "A notification that is answered with 5xx is sent again").needs("webhooks.body").
			withReason("The marketplace answers 503 while its database restarts. A notification that is not repeated is lost.").
			fix("Keep a notification in a queue until it is answered with 2xx, and repeat it after a few seconds, with backoff.")
)
