package partner

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestStoriesTakeTurnsAndWaitAtTheSameTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, began := NewCaller(nil, NewTime(context.Background(), time.Hour), 1), time.Now()
		playing, steps, left := 0, []int(nil), 6
		c.Interleave(3, func() func() {
			if left == 0 {
				return nil
			}
			left--
			story := left
			return func() {
				for range 4 {
					if playing++; playing != 1 {
						t.Errorf("Expected one story to go on at a time, received %d", playing)
					}
					steps = append(steps, story)
					playing--
					c.Wait(t.Context(), time.Second) // of the bubble
				}
			}
		})
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("Expected 6 stories of 4 s, three at the same time, in 8 s, received %s", took)
		}
		slices.Sort(steps)
		if stories := slices.Compact(slices.Clone(steps)); len(steps) != 24 || len(stories) != 6 || c.Interleaves() {
			t.Errorf("Expected every step of every story, received those of %v", steps)
		}
	})
}

func TestAStoryThatFailsFailsWhereItWasStarted(t *testing.T) {
	t.Parallel()
	c, left := NewCaller(nil, NewTime(context.Background(), time.Hour), 1), 2
	defer func() {
		if fault := recover(); fault != "a fault" || c.Interleaves() {
			t.Errorf("Expected the story's own fault, received %v", fault)
		}
	}()
	c.Interleave(2, func() func() {
		if left--; left < 0 {
			return nil
		}
		return func() { panic("a fault") }
	})
}
