package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/schemas/partnerapi"
)

// A customer books a tour: the example lists, books, pays and reads the ticket.
func Example() {
	ctx := context.Background()
	shop, err := client.NewReseller(address, client.APIToken(token), client.Options{})
	check(err)
	var tour client.Activity
	for activity, err := range shop.Activities(client.ActivityQuery{Currency: "USD"}).All(ctx) {
		check(err)
		adult := activity.Variations[0].Pricing.Units[0]
		fmt.Printf("%s, %s: %s %s\n", activity.Title, adult.Label, adult.Price, activity.Currency)
		tour = activity
	}
	slots, err := shop.Slots(ctx, client.SlotsQuery{
		ActivityID: tour.ID, VariationID: tour.Variations[0].ID, Date: client.DateOf(time.Now().AddDate(0, 0, 9)), Currency: "USD",
	})
	if err != nil || len(slots) == 0 {
		fmt.Println("no slots:", err)
		return
	}
	held, err := shop.Book(ctx, client.Order{
		ActivityID: tour.ID, VariationID: tour.Variations[0].ID, AvailabilityID: slots[0].AvailabilityID,
		Units:    []client.Party{{Type: partnerapi.Adult, Quantity: 2}, {Type: partnerapi.Child, Quantity: 1}},
		Contact:  client.Contact{FullName: "Ana Sousa", EmailAddress: "ana@example.com"},
		Currency: "USD",
	})
	check(err)
	fmt.Println(held.Status, held.Total, held.Currency)

	// The customer pays at your payment provider.
	paid, err := shop.Pay(ctx, held.ID, "pi-17")
	check(err)
	fmt.Println(paid.Status, len(paid.Tickets) > 0)
	// Output:
	// Round the harbour, Adult: 26.76 USD
	// HELD 66.9 USD
	// CONFIRMED true
}

// aShop returns the reseller's client, and an order for a slot that many days ahead.
func aShop(days int) (*client.Reseller, client.Order) {
	ctx := context.Background()
	shop, err := client.NewReseller(address, client.APIToken(token), client.Options{})
	check(err)
	page, err := shop.Activities(client.ActivityQuery{}).Page(ctx, 1, 1)
	check(err)
	order := client.Order{
		ActivityID: page.Entries[0].ID, VariationID: page.Entries[0].Variations[0].ID,
		Units:   []client.Party{{Type: partnerapi.Adult, Quantity: 1}},
		Contact: client.Contact{FullName: "Ana Sousa", EmailAddress: "ana@example.com"},
	}
	slots, err := shop.Slots(ctx, client.SlotsQuery{
		ActivityID: order.ActivityID, VariationID: order.VariationID, Date: client.DateOf(time.Now().AddDate(0, 0, days)),
	})
	check(err)
	order.AvailabilityID = slots[0].AvailabilityID
	return shop, order
}

// Activities must match every filter. Pages are selected by number.
func ExampleReseller_Activities() {
	shop, err := client.NewReseller(address, client.APIToken(token), client.Options{Cache: 1 << 20})
	check(err)
	query := client.ActivityQuery{Currency: "JPY", Language: "pt", Words: "harbour"}
	for range 2 { // the second answer comes from the cache, unless it has changed
		page, err := shop.Activities(query).Page(context.Background(), 1, 20)
		check(err)
		fmt.Println(page.Pagination.TotalCount, page.Entries[0].Variations[0].Pricing.Units[0].Price)
	}
	// Output:
	// 1 4299
	// 1 4299
}

// A calendar has a row for each date.
func ExampleReseller_Calendar() {
	shop, order := aShop(9)
	days, err := shop.Calendar(context.Background(), client.CalendarQuery{
		ActivityID: order.ActivityID, VariationID: order.VariationID,
		From: client.DateOf(time.Now().AddDate(0, 0, 20)), To: client.DateOf(time.Now().AddDate(0, 0, 22)),
	})
	check(err)
	for _, day := range days {
		fmt.Println(day.Status, "from", day.FromPrice, day.Currency)
	}
	// Output:
	// AVAILABLE from 25 EUR
	// AVAILABLE from 25 EUR
	// AVAILABLE from 25 EUR
}

// An order with a key of your own is booked once, however often and from wherever it is sent.
func ExampleReseller_Book() {
	shop, order := aShop(10)
	order.IdempotencyKey = "order-17"
	first, err := shop.Book(context.Background(), order)
	check(err)
	again, err := shop.Book(context.Background(), order)
	check(err)
	fmt.Println(first.Status, first.ID == again.ID)
	// Output: HELD true
}

// The status distinguishes the marketplace's refusals.
func ExampleError() {
	shop, order := aShop(11)
	_, err := platform.Faults.Arm(context.Background(), `{"match":{"endpoint":"reserve"},"times":1,"status":400,"body":"{\"message\":\"The boat is full.\"}"}`)
	check(err)
	_, err = shop.Book(context.Background(), order)
	refusal := (*client.Error)(nil)
	switch {
	case client.IsStatus(err, http.StatusConflict):
		errors.As(err, &refusal)
		fmt.Println("Tell the customer:", refusal.Message)
	case client.IsStatus(err, http.StatusBadGateway), client.IsStatus(err, http.StatusGatewayTimeout):
		fmt.Println("Offer another slot: the partner does not answer as it should.")
	case err != nil:
		fmt.Println(err)
	}
	// Output: Tell the customer: The boat is full.
}

// Release a hold that is no longer needed, so that others can book the seats.
func ExampleReseller_Abandon() {
	shop, order := aShop(12)
	held, err := shop.Book(context.Background(), order)
	check(err)
	released, err := shop.Abandon(context.Background(), held.ID)
	fmt.Println(released.Status, released.ReleaseReason, err)
	// Output: RELEASED abandoned <nil>
}

// Cancel a confirmed booking.
func ExampleReseller_Cancel() {
	ctx := context.Background()
	shop, order := aShop(13)
	held, err := shop.Book(ctx, order)
	check(err)
	_, err = shop.Pay(ctx, held.ID, "pi-18")
	check(err)
	cancelled, err := shop.Cancel(ctx, held.ID, "the guests are ill")
	fmt.Println(cancelled.Status, err)
	for booking, err := range shop.Bookings(client.BookingQuery{Status: client.Cancelled}).All(ctx) {
		fmt.Println(booking.ID == held.ID, err)
	}
	// Output:
	// CANCELLED <nil>
	// true <nil>
}

// A partner registers its platform and notifies the marketplace of changes.
func ExampleWebhooks() {
	ctx := context.Background()
	_, err := platform.CreateSandbox(ctx, sandbox)
	check(err)
	company, err := client.NewPartner(address, client.Password("partner@example.com", password), client.Options{})
	check(err)
	registered, err := company.Register(ctx, client.Registration{
		Name: "Night Boats", BaseURL: platform.Sandbox(sandbox.Name).BaseURL(), AuthKey: client.Secret(sandbox.AuthKey), HandlesTicketDelivery: true,
	})
	check(err)
	fmt.Println("The secret is kept, and not printed:", registered.WebhookSecret)
	webhooks, err := client.NewWebhooks(address, registered.IntegrationID, registered.WebhookSecret, client.Options{})
	check(err)
	pull, err := webhooks.Trigger(ctx)
	fmt.Println(pull.Synced, pull.Skipped, err)
	start := time.Date(2031, 7, 1, 12, 0, 0, 0, time.UTC)
	updated, err := webhooks.Notify(ctx, client.Notification{
		ProductID: "harbour", OptionID: "noon", AvailabilityID: "2031-07-01", LocalDateTimeStart: start, LocalDateTimeEnd: start.Add(time.Hour),
		Status: partnerapi.StatusLimited, Vacancies: new(2),
	})
	fmt.Println(updated, err)
	fmt.Println(company.DeleteIntegration(ctx, registered.IntegrationID))
	// Output:
	// The secret is kept, and not printed: [hidden]
	// 1 false <nil>
	// true <nil>
	// <nil>
}

// An operator finds a payment whose confirmation failed, tries it again and resolves it.
func ExampleOperator() {
	ctx := context.Background()
	shop, order := aShop(14)
	held, err := shop.Book(ctx, order)
	check(err)
	_, err = platform.Faults.Arm(ctx, `{"match":{"endpoint":"confirm"},"times":1,"status":400,"body":"{\"message\":\"Down for maintenance.\"}"}`)
	check(err)
	paid, err := shop.Pay(ctx, held.ID, "pi-19")
	check(err)
	fmt.Println(paid.Status, paid.Attention.Reason)

	operator, err := client.NewOperator(address, client.Password(operatorEmail, password), client.Options{})
	check(err)
	for booking, err := range operator.Bookings(client.BookingQuery{Attention: true}).All(ctx) {
		check(err)
		fmt.Println(booking.Attention.Message, booking.Attention.Actions)
		settled, err := operator.Confirm(ctx, booking.ID)
		fmt.Println(settled.Status, settled.Attention, err)
	}
	// Output:
	// PAID confirm_refused
	// Down for maintenance. [confirm cancel]
	// CONFIRMED <nil> <nil>
}

// An affiliate earns when the partner confirms.
func ExampleAffiliate() {
	ctx := context.Background()
	operator, err := client.NewOperator(address, client.Password(operatorEmail, password), client.Options{})
	check(err)
	accounts, err := operator.Accounts(client.AccountQuery{Role: client.AffiliateRole}).Page(ctx, 1, 1)
	check(err)
	shop, order := aShop(15)
	order.AffiliateCode = accounts.Entries[0].ID
	held, err := shop.Book(ctx, order)
	check(err)
	_, err = shop.Pay(ctx, held.ID, "pi-20")
	check(err)
	affiliate, err := client.NewAffiliate(address, client.Password("affiliate@example.com", password), client.Options{})
	check(err)
	for commission, err := range affiliate.Commissions().All(ctx) {
		fmt.Println(commission.Status, commission.Amount, commission.Currency, err)
	}
	// Output: accrued 1.25 EUR <nil>
}

// check ends an example that cannot continue.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
