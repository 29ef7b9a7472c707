// Command oapi-codegen uses a client that oapi-codegen generated. It books the first free slot,
// pays for it, cancels the booking, and reads these events in the feed.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/oapi-codegen/runtime/types"

	"partnerkit.dev/examples/generators/oapi-codegen/market"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := market.NewClientWithResponses(os.Getenv("MARKETPLACE"), market.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("x-api-token", os.Getenv("TOKEN"))
		return nil
	}))
	if err != nil {
		return err
	}
	order, err := firstFreeSlot(ctx, client)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("order-%d", time.Now().UnixNano())
	held, err := client.BookWithResponse(ctx, &market.BookParams{IdempotencyKey: &key}, order)
	if err != nil {
		return err
	}
	if held.JSON201 == nil {
		return fmt.Errorf("book: %s", held.Body)
	}
	booking := held.JSON201.Data.UnderscoreId
	fmt.Println(held.JSON201.Data.Status)
	paid, err := client.PayWithResponse(ctx, booking, nil, market.PaymentRequest{Outcome: market.PaymentRequestOutcomeSucceeded, Reference: "payment-of-" + key})
	if err != nil {
		return err
	}
	if paid.JSON200 == nil {
		return fmt.Errorf("pay: %s", paid.Body)
	}
	fmt.Println(paid.JSON200.Data.Status)
	cancelled, err := client.CancelWithResponse(ctx, booking, nil, market.BookingCancelRequest{})
	if err != nil {
		return err
	}
	if cancelled.JSON200 == nil {
		return fmt.Errorf("cancel: %s", cancelled.Body)
	}
	fmt.Println(cancelled.JSON200.Data.Status)
	return awaitEvent(ctx, client, booking)
}

func firstFreeSlot(ctx context.Context, client *market.ClientWithResponses) (order market.BookingRequest, err error) {
	from := time.Now().AddDate(0, 0, 2)
	listed, err := client.ActivitiesWithResponse(ctx, nil)
	if err != nil {
		return order, err
	}
	if listed.JSON200 == nil {
		return order, fmt.Errorf("list the activities: %s", listed.Body)
	}
	for _, activity := range listed.JSON200.Data {
		for _, variation := range activity.Variations {
			days, err := client.CalendarWithResponse(ctx, activity.UnderscoreId, variation.UnderscoreId, &market.CalendarParams{From: types.Date{Time: from}, To: types.Date{Time: from.AddDate(0, 0, 28)}})
			if err != nil {
				return order, err
			}
			if days.JSON200 == nil {
				return order, fmt.Errorf("read the calendar: %s", days.Body)
			}
			for _, day := range days.JSON200.Data {
				if day.Status != market.CalendarDayStatusAVAILABLE && day.Status != market.CalendarDayStatusFREESALE {
					continue
				}
				slots, err := client.SlotsWithResponse(ctx, activity.UnderscoreId, variation.UnderscoreId, &market.SlotsParams{Date: day.Date})
				if err != nil {
					return order, err
				}
				if slots.JSON200 == nil {
					return order, fmt.Errorf("read the slots: %s", slots.Body)
				}
				for _, slot := range slots.JSON200.Data {
					if !slot.Bookable {
						continue
					}
					fmt.Println("books", slot.Start)
					adult := market.BookingRequestUnitsTypeADULT
					order.ActivityId, order.VariationId, order.AvailabilityId = activity.UnderscoreId, variation.UnderscoreId, slot.AvailabilityId
					order.Contact.FullName, order.Contact.EmailAddress = "Ana Sousa", "ana@example.com"
					order.Units = append(order.Units, struct {
						Quantity int                             `json:"quantity"`
						Type     *market.BookingRequestUnitsType `json:"type,omitempty"`
						UnitId   *string                         `json:"unit_id,omitempty"`
					}{Quantity: 1, Type: &adult})
					return order, nil
				}
			}
		}
	}
	return order, fmt.Errorf("no slot is free")
}

// awaitEvent reads the feed until it contains the cancellation, usually within a second.
func awaitEvent(ctx context.Context, client *market.ClientWithResponses, booking types.UUID) error {
	params := &market.EventsParams{}
	for {
		page, err := client.EventsWithResponse(ctx, params)
		if err != nil {
			return err
		}
		if page.JSON200 == nil {
			return fmt.Errorf("read the events: %s", page.Body)
		}
		params.After = &page.JSON200.NextCursor
		for _, event := range page.JSON200.Data {
			if event.Type != market.EventTypeBookingCancelled {
				continue
			}
			if of, err := event.Data.AsEventBooking(); err == nil && of.BookingId == booking {
				fmt.Println(event.Type)
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
