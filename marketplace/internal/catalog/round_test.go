package catalog_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
)

// Each test plays a round: the result of each slice, and what follows.
func TestARoundOfSlots(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	now := asked.Add(10 * time.Second)
	place := uuid.New()
	fresh := catalog.Round{AskedAt: asked, Serves: asked, Whole: true}
	done := catalog.Round{AskedAt: asked, Serves: asked, Whole: true, Pulled: asked, Took: now.Sub(asked)}
	middle := catalog.Round{AskedAt: asked, Serves: asked, After: place, Whole: true}
	part := catalog.Slice{Last: place, Tried: 40, Failed: 3, Left: true}
	dead := catalog.Slice{Last: place, Tried: 8, Failed: 8, Left: true}
	end := catalog.Slice{Last: place, Tried: 4, Ended: true}
	endWithFailures := catalog.Slice{Last: place, Tried: 4, Failed: 1, Ended: true, Left: true}
	nothing := time.Duration(-1)
	with := func(r catalog.Round, change func(*catalog.Round)) catalog.Round { change(&r); return r }
	for name, c := range map[string]struct {
		at    catalog.Round
		slice catalog.Slice
		after time.Duration // until the next slice
		want  catalog.Round
	}{
		"a part is done":                              {fresh, part, 0, middle},
		"all is done":                                 {middle, end, nothing, done},
		"the answers are slow":                        {fresh, catalog.Slice{Last: place, Tried: 8, Left: true, Slow: true}, 0, with(middle, func(r *catalog.Round) { r.Slow = true })},
		"they no longer are":                          {with(fresh, func(r *catalog.Round) { r.Slow = true }), part, 0, middle},
		"some failed":                                 {middle, endWithFailures, time.Minute, with(fresh, func(r *catalog.Round) { r.Pass = 1 })},
		"some failed twice":                           {with(middle, func(r *catalog.Round) { r.Pass = 1 }), endWithFailures, 5 * time.Minute, with(fresh, func(r *catalog.Round) { r.Pass = 2 })},
		"some failed for good":                        {with(middle, func(r *catalog.Round) { r.Pass = 2 }), endWithFailures, nothing, with(fresh, func(r *catalog.Round) { r.Pass = 2 })},
		"all of a slice failed":                       {fresh, dead, time.Minute, with(middle, func(r *catalog.Round) { r.Pass, r.Whole = 1, false })},
		"the rest is done, the first options are not": {with(middle, func(r *catalog.Round) { r.Whole = false }), catalog.Slice{Last: place, Tried: 4, Ended: true, Left: true}, 0, fresh},
		"nothing was begun in time":                   {middle, catalog.Slice{Left: true}, 0, middle},
		"there is no option":                          {fresh, catalog.Slice{Ended: true}, nothing, done},
		"another request came":                        {with(middle, func(r *catalog.Round) { r.AskedAt = now }), end, 0, with(done, func(r *catalog.Round) { r.AskedAt = now })},
		"another request came in the middle":          {with(fresh, func(r *catalog.Round) { r.AskedAt = now }), part, 0, with(middle, func(r *catalog.Round) { r.AskedAt = now })},
		"another request is for later":                {with(middle, func(r *catalog.Round) { r.AskedAt = now.Add(time.Hour) }), end, time.Hour, with(done, func(r *catalog.Round) { r.AskedAt = now.Add(time.Hour) })},
		"all failed, and another request came":        {with(fresh, func(r *catalog.Round) { r.AskedAt = now }), dead, 0, with(middle, func(r *catalog.Round) { r.AskedAt = now })},
	} {
		got, due := c.at.Next(now, c.slice)
		if got != c.want || due.IsZero() != (c.after == nothing) || !due.IsZero() && !due.Equal(now.Add(c.after)) {
			t.Errorf("%s: want %+v in %s, got %+v at %s", name, c.want, c.after, got, due)
		}
	}
}

func TestARoundServesTheNewestRequestThatIsDue(t *testing.T) {
	t.Parallel()
	asked := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	place := uuid.New()
	for name, c := range map[string]struct{ at, want catalog.Round }{
		"the first":               {catalog.Round{AskedAt: asked, Whole: true}, catalog.Round{AskedAt: asked, Serves: asked, Whole: true}},
		"one while others failed": {catalog.Round{AskedAt: asked, Serves: asked.Add(-time.Hour), Pass: 2, Whole: true}, catalog.Round{AskedAt: asked, Serves: asked, Whole: true}},
		"one in the middle":       {catalog.Round{AskedAt: asked, Serves: asked.Add(-time.Hour), After: place, Whole: true}, catalog.Round{AskedAt: asked, Serves: asked, After: place}},
		"none":                    {catalog.Round{AskedAt: asked, Serves: asked, Pass: 1}, catalog.Round{AskedAt: asked, Serves: asked, Pass: 1}},
		"one for later":           {catalog.Round{AskedAt: asked.Add(time.Hour), Serves: asked, Pass: 1}, catalog.Round{AskedAt: asked.Add(time.Hour), Serves: asked, Pass: 1}},
	} {
		if got := c.at.Start(asked.Add(time.Second)); got != c.want {
			t.Errorf("%s: want %+v, got %+v", name, c.want, got)
		}
	}
}
