package control

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
)

func invariants(w http.ResponseWriter, r *http.Request) {
	broken := sandboxOf(r).Platform().Invariants()
	if broken == nil {
		broken = []platform.Violation{}
	}
	reply.JSON(w, http.StatusOK, map[string]any{"ok": len(broken) == 0, "violations": broken})
}

const defaultLimit = 1000

func state(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	limit := query.number("limit", defaultLimit)
	if query.refused(w, "limit") {
		return
	}
	p := sandboxOf(r).Platform()
	inside := p.Inside()
	reply.JSON(w, http.StatusOK, client.State{
		Now:          inside.Now.UTC(),
		Seed:         p.Seed(),
		HoldCount:    len(inside.Holds),
		BookingCount: len(inside.Bookings),
		SlotCount:    len(inside.Slots),
		Holds:        last(inside.Holds, limit),
		Bookings:     last(inside.Bookings, limit),
		Slots:        last(inside.Slots, limit),
	})
}

func last[T any](list []T, n uint64) []T {
	if uint64(len(list)) <= n {
		return list
	}
	return list[uint64(len(list))-n:]
}

// query reads query parameters and keeps the first thing that is wrong with them.
type query struct {
	values url.Values
	err    error
}

func (q *query) number(name string, absent uint64) uint64 {
	if !q.values.Has(name) {
		return absent
	}
	n, err := strconv.ParseUint(q.values.Get(name), 10, 31)
	if err != nil && q.err == nil {
		q.err = fmt.Errorf("%s: want a number of 0 or more, got %q", name, q.values.Get(name))
	}
	return n
}

func (q *query) duration(name string, absent, max time.Duration) time.Duration {
	if !q.values.Has(name) {
		return absent
	}
	d, err := time.ParseDuration(q.values.Get(name))
	if (err != nil || d < 0 || d > max) && q.err == nil {
		q.err = fmt.Errorf("%s: want a duration of at most %s, such as 5s, got %q", name, max, q.values.Get(name))
	}
	return d
}

func (q *query) yes(name string) bool {
	value := q.values.Get(name)
	if q.values.Has(name) && value != "true" && value != "false" && q.err == nil {
		q.err = fmt.Errorf("%s: want true or false, got %q", name, value)
	}
	return value == "true"
}

func word[W ~string](q *query, name string, words []W) W {
	value := W(q.values.Get(name))
	if q.values.Has(name) && !slices.Contains(words, value) && q.err == nil {
		q.err = fmt.Errorf("%s: want one of %v, got %q", name, words, value)
	}
	return value
}

// refused answers what is wrong with the query; a parameter that does not exist
// is wrong too.
func (q *query) refused(w http.ResponseWriter, names ...string) bool {
	for name := range q.values {
		if q.err == nil && !slices.Contains(names, name) {
			q.err = errors.New("there is no parameter " + strconv.Quote(name))
		}
	}
	if q.err != nil {
		reply.Message(w, http.StatusBadRequest, "%v", q.err)
	}
	return q.err != nil
}
