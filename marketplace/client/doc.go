// Package client calls a marketplace: for the shop of a reseller, for an affiliate, for
// a partner and its platform, for who operates the marketplace. There is a type for each
// of them, with the calls that are theirs.
//
//	shop, err := client.NewReseller("http://127.0.0.1:8080", client.APIToken(token), client.Options{})
//
//	for activity, err := range shop.Activities(client.ActivityQuery{Currency: "USD"}).All(ctx) { … }
//	slots, err := shop.Slots(ctx, client.SlotsQuery{ActivityID: …, VariationID: …, Date: "2026-07-10"})
//	held, err := shop.Book(ctx, client.Order{…, AvailabilityID: slots[0].AvailabilityID, …})
//	paid, err := shop.Pay(ctx, held.ID, "the payment provider's reference")
//
// A [Reseller] sells, an [Affiliate] refers customers, a [Partner] registers its
// platform, [Webhooks] are what that platform tells the marketplace, an [Operator] runs
// the marketplace.
//
// What goes wrong at the marketplace's end is an [*Error], with its status, its words and
// the id under which it is in the service's log. A call that can do no harm twice is made
// again where it has no answer; booking is one of them, since its Idempotency-Key goes
// with it: see [Options.Patience].
//
// Amounts are exact decimals, never floats; what an answer has that this package does not
// know is ignored.
package client
