package control

import (
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/schemas/partnerapi"
)

func timeOf(c *clock.Virtual) client.Time { return client.Time{Now: c.Now().UTC(), Frozen: c.Frozen()} }

func showClock(w http.ResponseWriter, r *http.Request) {
	reply.JSON(w, http.StatusOK, timeOf(sandboxOf(r).Clock()))
}

const maxTimers = 1000

func showTimers(w http.ResponseWriter, r *http.Request) {
	query := query{values: r.URL.Query()}
	limit := query.number("limit", 100)
	if query.refused(w, "limit") {
		return
	}
	box := sandboxOf(r)
	reply.JSON(w, http.StatusOK, map[string]any{
		"now":    box.Clock().Now().UTC(),
		"timers": box.Platform().Timers(int(min(limit, maxTimers))),
	})
}

func runToNext(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Kinds []platform.TimerKind `json:"kinds"` // of these kinds; absent: of any
	}
	if !readOptional(w, r, &request) {
		return
	}
	for _, kind := range request.Kinds {
		if !slices.Contains(platform.TimerKinds(), kind) {
			reply.Message(w, http.StatusBadRequest, "kinds: want some of %q, got %q", platform.TimerKinds(), kind)
			return
		}
	}
	box := sandboxOf(r)
	pending := box.Platform().Timers(1, request.Kinds...)
	if len(pending) == 0 || pending[0].At.After(latest) {
		reply.Message(w, http.StatusConflict, "nothing is pending: GET %s/clock/timers lists what is", Path)
		return
	}
	box.Clock().Set(pending[0].At)
	reply.JSON(w, http.StatusOK, struct {
		client.Time
		Timer platform.Timer `json:"timer"`
	}{timeOf(box.Clock()), pending[0]})
}

// clockRequest moves a clock; what is named is done.
type clockRequest struct {
	Set     string `json:"set"`     // a date-time
	Advance string `json:"advance"` // a duration such as 25m
	Freeze  *bool  `json:"freeze"`  // true stops the clock, false lets it run
}

// latest is as far as a clock goes: beyond it, dates have five digits.
var latest = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)

func moveClock(w http.ResponseWriter, r *http.Request) {
	var request clockRequest
	if !read(w, r, &request) {
		return
	}
	if request == (clockRequest{}) {
		reply.Message(w, http.StatusBadRequest, `want {"advance": "25m"}, {"set": "2026-07-01T09:00:00Z"} or {"freeze": true}`)
		return
	}
	clock := sandboxOf(r).Clock()
	to := clock.Now()
	if request.Set != "" {
		t, err := partnerapi.ParseDateTime(request.Set)
		if err != nil {
			reply.Message(w, http.StatusBadRequest, "set: %v", err)
			return
		}
		to = t
	}
	var by time.Duration
	if request.Advance != "" {
		d, err := time.ParseDuration(request.Advance)
		if err != nil || d < 0 {
			reply.Message(w, http.StatusBadRequest, "advance: want a duration such as 90s, 25m or 36h, got %q; set moves a clock back", request.Advance)
			return
		}
		by = d
	}
	if to.Year() < 1970 || to.Add(by).After(latest) {
		reply.Message(w, http.StatusBadRequest, "want a time between the years 1970 and 9000")
		return
	}
	apply(clock, request, to, by)
	showClock(w, r)
}

// apply moves the clock. It stops before it is moved and runs after, so that it
// stands, or begins, exactly where it was moved to.
func apply(clock *clock.Virtual, request clockRequest, to time.Time, by time.Duration) {
	if request.Freeze != nil && *request.Freeze {
		clock.Freeze()
	}
	if request.Set != "" {
		clock.Set(to)
	}
	clock.Advance(by)
	if request.Freeze != nil && !*request.Freeze {
		clock.Run()
	}
}
