package main_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas/partnerapi"
)

const (
	// How many other customers a partner has during a run: in a soak, and without one.
	// They take the machine's time, from the run as well.
	manyBuyers, fewBuyers = 50, 10
	// A buyer thinks between two calls, a thousandth of the time that people take:
	// fifty make some 650 calls a second.
	thinksAtLeast, thinksAtMost = 50 * time.Millisecond, 100 * time.Millisecond
	// Of four purchases so many are of slots that the run has reserved before, the
	// others of any.
	following = 3
	// largestParty is how many seats a buyer takes at most.
	largestParty = 3
)

// howManyBuyers is how many there are.
func howManyBuyers() int {
	if os.Getenv(soakRuns) != "" {
		return manyBuyers
	}
	return fewBuyers
}

// buyers are the other customers of a mock partner. They keep the contract: each
// reserves, then confirms or releases, and cancels what it has booked. They go where
// the run goes, and call the mock without a network: this leaves the time of the
// machine to the run.
type buyers struct {
	mock  *mockpartner.Mock
	calls atomic.Int64
	stop  context.CancelFunc
	all   sync.WaitGroup

	mu       sync.Mutex
	anywhere []partnerapi.ReserveRequest // every slot that could be booked at the beginning
	reserved []partnerapi.ReserveRequest // the slots that the run has reserved
}

// goShopping lets buyers loose on a mock. What each does is decided by the seed.
func goShopping(t *testing.T, mock *mockpartner.Mock, seed uint64) *buyers {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	b := &buyers{mock: mock, stop: stop, anywhere: everySlot(mock)}
	if len(b.anywhere) == 0 {
		t.Fatal("want slots to buy")
	}
	for i := range howManyBuyers() {
		b.all.Go(func() { b.shop(ctx, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	t.Cleanup(b.goHome)
	return b
}

// goHome ends the shopping. Nothing of theirs is left then.
func (b *buyers) goHome() {
	b.stop()
	b.all.Wait()
}

// everySlot lists the slots with seats to count that can be booked.
func everySlot(mock *mockpartner.Mock) (slots []partnerapi.ReserveRequest) {
	business := mock.Default().Platform()
	today := mock.Default().Clock().Now()
	for _, product := range mockpartner.DefaultCatalog().Products {
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
				if slot.Status.Bookable() && slot.Vacancies != nil {
					request.AvailabilityID = slot.ID
					slots = append(slots, request)
				}
			}
		}
	}
	return slots
}

// follow serves the mock to a run, and tells the buyers which slots it reserves.
func (b *buyers) follow(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if partnerapi.EndpointOf(r) == partnerapi.Reserve {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var request partnerapi.ReserveRequest
		if json.Unmarshal(body, &request) == nil && len(request.Units) > 0 {
			request.Units = request.Units[:1]
			b.mu.Lock()
			if !slices.ContainsFunc(b.reserved, func(known partnerapi.ReserveRequest) bool { return known.AvailabilityID == request.AvailabilityID }) {
				b.reserved = append(b.reserved, request)
			}
			b.mu.Unlock()
		}
	}
	next.ServeHTTP(w, r)
}

// shop is a buyer's day: one purchase after another.
func (b *buyers) shop(ctx context.Context, dice *rand.Rand) {
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
	business := b.mock.Default().Platform()
	for think() {
		b.calls.Add(1)
		hold, err := business.Reserve(b.choose(dice), nil)
		if err != nil {
			continue
		}
		if think() && dice.IntN(2) == 0 {
			b.calls.Add(1)
			if booking, err := business.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: hold.Code}, nil); err == nil {
				think()
				b.calls.Add(1)
				business.Cancel(booking.ID, nil)
				continue
			}
		}
		b.calls.Add(1)
		business.Release(hold.Code, nil)
	}
}

// choose decides what is bought next.
func (b *buyers) choose(dice *rand.Rand) partnerapi.ReserveRequest {
	b.mu.Lock()
	defer b.mu.Unlock()
	among := b.anywhere
	if len(b.reserved) > 0 && dice.IntN(4) < following {
		among = b.reserved
	}
	request := among[dice.IntN(len(among))]
	request.Units = []partnerapi.UnitQuantity{{ID: request.Units[0].ID, Quantity: 1 + dice.IntN(largestParty)}}
	return request
}

// mostOpen is how many rules may be left open where others buy.
const mostOpen = 5

// crowded is a partner that is judged while others buy.
type crowded struct {
	defect string // "": it keeps the contract
	rule   string // that the defect breaks
	runs   int    // without a soak
}

func TestOtherCustomersNeitherAccuseALawfulPartnerNorHideABreach(t *testing.T) {
	t.Parallel()
	for _, partner := range []crowded{
		{runs: 2},
		{defect: "hold-takes-no-seats", rule: "reserve.vacancies.one", runs: 1},
		{defect: "release-gives-nothing-back", rule: "release.vacancies.one", runs: 1},
		{defect: "second-confirm-books-again", rule: "confirm.repeat.booking", runs: 1},
	} {
		if runs, err := strconv.Atoi(os.Getenv(soakRuns)); err == nil {
			partner.runs = runs
		}
		found := 0
		for seed := range uint64(partner.runs) {
			if partner.judgedAmongBuyers(t, seed) {
				found++
			}
		}
		// Eighteen of twenty; all, where there are few.
		if partner.defect != "" && 10*found < 9*partner.runs {
			t.Errorf("want %s found through %s, got it in %d of %d runs", partner, partner.rule, found, partner.runs)
		}
	}
}

// judgedAmongBuyers has a mock judged while others buy there, with a seed of their
// own, and reports whether the defect's rule failed.
func (partner crowded) judgedAmongBuyers(t *testing.T, seed uint64) (found bool) {
	t.Helper()
	options := mockpartner.Options{Seed: seed}
	if partner.defect != "" {
		options.Defects = []string{partner.defect}
	}
	mock := newMock(t, options)
	buyers := goShopping(t, mock, seed)
	url := between(t, mock, buyers.follow)
	r := judge(t, url, ofMock(url)...)
	buyers.goHome()
	if partner.defect == "" {
		leftAsItWas(t, mock)
	}
	failed, open := r.outcomes(report.Failed), r.outcomes(report.Inconclusive)
	found = slices.Contains(failed, partner.rule)
	if accused := slices.DeleteFunc(failed, func(id string) bool { return id == partner.rule }); len(accused) > 0 {
		t.Errorf("%s, seed %d: want no other MUST rule failed, got %q\n%s", partner, seed, accused, r.said())
	}
	if len(open) > mostOpen {
		t.Errorf("%s, seed %d: want at most %d rules left open, got %q\n%s", partner, seed, mostOpen, open, r.said())
	}
	t.Logf("%s, seed %d, %d other customers: found %t, %d rules left open, %d calls beside %d of theirs",
		partner, seed, howManyBuyers(), found, len(open), r.result.Coverage.Calls, buyers.calls.Load())
	return found
}

func (partner crowded) String() string { return cmp.Or(partner.defect, "lawful") }
