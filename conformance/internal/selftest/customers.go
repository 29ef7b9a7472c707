package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// A customer waits between two calls, a thousandth of the time that people take. Fifty
	// customers make about 650 calls per second.
	thinksAtLeast, thinksAtMost = 50 * time.Millisecond, 100 * time.Millisecond
	// following is how many of four purchases are in slots that the run has reserved before; the
	// others are in any slot.
	following = 3
	// largestParty is the maximum number of seats that a customer takes.
	largestParty = 3
)

// Customers are the other customers of a mock partner during a run. They conform to the contract:
// each reserves, then confirms or releases, and cancels its bookings. They use the slots that the
// run uses. They call the mock without a network, to leave the machine's time to the run.
type Customers struct {
	mock  *mockpartner.Mock
	calls atomic.Int64
	stop  context.CancelFunc
	all   sync.WaitGroup

	mu       sync.Mutex
	anywhere []partnerapi.ReserveRequest // every slot that could be booked at the start
	reserved []partnerapi.ReserveRequest // the slots that the run has reserved
}

// Shop starts many customers at a mock. seed determines what each does.
func Shop(mock *mockpartner.Mock, many int, seed uint64) *Customers {
	ctx, stop := context.WithCancel(context.Background())
	c := &Customers{mock: mock, stop: stop, anywhere: everySlot(mock)}
	if len(c.anywhere) == 0 {
		many = 0 // there is nothing to book
	}
	for i := range many {
		c.all.Go(func() { c.shop(ctx, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	return c
}

// GoHome stops the customers. Nothing that they held or booked is left.
func (c *Customers) GoHome() {
	c.stop()
	c.all.Wait()
}

// Calls returns how many calls they have made.
func (c *Customers) Calls() int64 { return c.calls.Load() }

// everySlot returns the slots with counted seats that can be booked.
func everySlot(mock *mockpartner.Mock) (slots []partnerapi.ReserveRequest) {
	business := mock.Default().Platform()
	today := mock.Default().Now()
	for _, product := range business.Catalog().Products {
		for _, option := range product.Options {
			request := partnerapi.ReserveRequest{ProductID: product.ID, OptionID: option.ID, Units: []partnerapi.UnitQuantity{{ID: option.Units[0].ID}}}
			window, err := business.Availability(partnerapi.AvailabilityRequest{
				ProductID: product.ID, OptionID: option.ID, Units: []partnerapi.UnitQuantity{{ID: option.Units[0].ID, Quantity: 1}},
				LocalDateStart: today.AddDate(0, 0, 1).Format(partnerapi.DateLayout), LocalDateEnd: today.AddDate(0, 0, partnerapi.LookaheadDays).Format(partnerapi.DateLayout),
			})
			if err != nil {
				continue
			}
			for _, slot := range window.Slots {
				if slot.Status.IsBookable() && slot.Vacancies != nil {
					request.AvailabilityID = slot.ID
					slots = append(slots, request)
				}
			}
		}
	}
	return slots
}

// Follow serves the mock to a run, and shows the customers which slots it reserves.
func (c *Customers) Follow(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if partnerapi.EndpointOf(r) == partnerapi.Reserve {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var request partnerapi.ReserveRequest
		if json.Unmarshal(body, &request) == nil && len(request.Units) > 0 {
			request.Units = request.Units[:1]
			c.mu.Lock()
			if !slices.ContainsFunc(c.reserved, func(known partnerapi.ReserveRequest) bool { return known.AvailabilityID == request.AvailabilityID }) {
				c.reserved = append(c.reserved, request)
			}
			c.mu.Unlock()
		}
	}
	next.ServeHTTP(w, r)
}

// shop plays one customer: one purchase after another.
func (c *Customers) shop(ctx context.Context, dice *rand.Rand) {
	think := func() bool {
		timer := time.NewTimer(thinksAtLeast + time.Duration(dice.Int64N(int64(thinksAtMost-thinksAtLeast))))
		defer timer.Stop()
		select {
		case <-timer.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
	business := c.mock.Default().Platform()
	for think() {
		c.calls.Add(1)
		hold, err := business.Reserve(c.choose(dice), nil)
		if err != nil {
			continue
		}
		if think() && dice.IntN(2) == 0 {
			c.calls.Add(1)
			if booking, err := business.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: hold.Code}, nil); err == nil {
				think()
				c.calls.Add(1)
				business.Cancel(booking.ID, nil)
				continue
			}
		}
		c.calls.Add(1)
		business.Release(hold.Code, nil)
	}
}

// choose decides what is booked next.
func (c *Customers) choose(dice *rand.Rand) partnerapi.ReserveRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	among := c.anywhere
	if len(c.reserved) > 0 && dice.IntN(4) < following {
		among = c.reserved
	}
	request := among[dice.IntN(len(among))]
	request.Units = []partnerapi.UnitQuantity{{ID: request.Units[0].ID, Quantity: 1 + dice.IntN(largestParty)}}
	return request
}
