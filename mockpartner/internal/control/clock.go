package control

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/clock"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/reply"
	"partnerkit.dev/schemas/partnerapi"
)

func timeOf(c *clock.Virtual) client.Time {
	return client.Time{Now: c.Now().UTC(), Frozen: c.IsFrozen()}
}

func showClock(c *call) (any, error) { return timeOf(c.box.Clock()), nil }

const maxTimers = 1000

func showTimers(c *call) (any, error) {
	query := c.query()
	limit := query.number("limit", 100)
	return keys{
		"now":    c.box.Clock().Now().UTC(),
		"timers": c.box.Platform().Timers(int(min(limit, maxTimers))),
	}, query.check()
}

func runToNext(c *call) (any, error) {
	request, err := readOptional[struct {
		Kinds []client.TimerKind `json:"kinds"` // absent means all kinds
	}](c)
	if err != nil {
		return nil, err
	}
	for _, kind := range request.Kinds {
		if !slices.Contains(platform.TimerKinds(), kind) {
			return nil, fmt.Errorf("kinds: expected some of %q, received %q", platform.TimerKinds(), kind)
		}
	}
	pending := c.box.Platform().Timers(1, request.Kinds...)
	if len(pending) == 0 || pending[0].At.After(latest) {
		return nil, reply.Refuse(http.StatusConflict, "nothing is pending: GET %s/clock/timers lists what is", Path)
	}
	c.box.Clock().Set(pending[0].At)
	return struct {
		client.Time
		Timer client.Timer `json:"timer"`
	}{timeOf(c.box.Clock()), pending[0]}, nil
}

// clockRequest moves a clock. Every field that is set is applied.
type clockRequest struct {
	Set     string `json:"set"`     // a date-time
	Advance string `json:"advance"` // a duration such as 25m
	Freeze  *bool  `json:"freeze"`  // true stops the clock, false lets it run
}

// latest is the maximum time of a clock. It is well before the year 10000, from which dates have
// five-digit years.
var latest = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)

// moveClock stops the clock before it is moved and starts it afterwards, so that it stands at, or
// starts from, exactly the requested time.
func moveClock(c *call) (any, error) {
	request, err := read[clockRequest](c)
	if err != nil {
		return nil, err
	}
	if request == (clockRequest{}) {
		return nil, errors.New(`expected {"advance": "25m"}, {"set": "2026-07-01T09:00:00Z"} or {"freeze": true}`)
	}
	clock, by := c.box.Clock(), time.Duration(0)
	to := clock.Now()
	if request.Set != "" {
		if to, err = partnerapi.ParseDateTime(request.Set); err != nil {
			return nil, fmt.Errorf("set: %w", err)
		}
	}
	if request.Advance != "" {
		if by, err = time.ParseDuration(request.Advance); err != nil || by < 0 {
			return nil, fmt.Errorf("advance: expected a duration such as 90s, 25m or 36h, received %q; set moves a clock back", request.Advance)
		}
	}
	if to.Year() < 1970 || to.Add(by).After(latest) {
		return nil, errors.New("expected a time between the years 1970 and 9000")
	}
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
	return showClock(c)
}
