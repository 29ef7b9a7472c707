package schedules

import (
	"slices"
	"testing"
)

// faults lists the schedules that once broke an invariant, by what a user saw.
var faults = []struct {
	name     string
	workload string
	plan     schedule
}{
	{
		"confirm is sent twice by a replica that was paused before it sent its own", "two replicas receive the same payment",
		schedule{"A/payment/call confirm/1": paused40},
	},
	{
		"confirm is sent twice because the reply of the commit that records it is held back", "two replicas receive the same payment",
		schedule{"A/payment/save the booking/1": held40},
	},
	{
		"confirm arrives after the release", "operators confirm and cancel what the partner refuses",
		schedule{"A/payment/call confirm/1": paused90},
	},
	{
		"a hold that is stored as HELD is released, and then paid", "a customer checks out, pays and cancels",
		schedule{"A/checkout/save the booking/1": losesReply},
	},
	{
		"reserve is sent by a replica that was paused until its checkout was given up", "a customer leaves while the hold is made",
		schedule{"A/checkout/call reserve/1": paused90},
	},
	{
		"the answer of a key changes when the replica that was paused comes back", "a checkout is sent again with its key",
		schedule{"A/checkout with key/call availability/1": notSent, "A/checkout with key/settle the key/1": paused90},
	},
	{
		"a hold is dropped because another request, which was paused, withdraws the booking with its id", "a reschedule is sent again with its key",
		schedule{"A/reschedule/read the booking/1": failsBefore, "B/reschedule, again (2)/record the checkout/1": paused90, "B/reschedule, again (3)/call reserve/1": slow},
	},
	{
		"no replica confirms a payment whose confirm's job was paused, and ended without news", "a customer checks out, pays and cancels",
		schedule{"B/payment/save the booking/1": paused40, "B/booking_confirm job, run 1/call confirm/1": slow, "B/booking_confirm job, run 1/save the booking/2": paused40},
	},
	{
		"confirm is sent by a job that reads that another one was answered", "operators confirm and cancel what the partner refuses",
		schedule{"A/payment/save the booking/2": paused40, "B/booking_confirm job, run 1/call confirm/1": notSent, "B/booking_confirm job, run 2/save the booking/1": losesReply},
	},
}

func TestFaultsThatPausesAndLostRepliesOnceCaused(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			reported := workloads[slices.IndexFunc(workloads, func(s workload) bool { return s.name == f.workload })]
			w := play(t, reported, setting{replicas: 2, palette: short}, f.plan.plan)
			for key := range f.plan {
				if !slices.ContainsFunc(w.trace, func(s step) bool { return s.key == key }) {
					t.Fatalf("the step %s has not come up:\n%s", key, w.listing())
				}
			}
			if len(w.broken) > 0 {
				t.Errorf("%s:\n%s", f.workload, w.listing())
			}
		})
	}
}
