// Package schedules runs the real booking service on several replicas in virtual time,
// with a store and a partner whose every step can fail, lose its answer or be delayed,
// and whose replicas can be paused. It plays every schedule up to a depth and checks the
// invariants of bookings after each.
//
// A schedule lists the steps that do not go well. All other steps do. Runs are
// deterministic: the same schedule always plays the same way, so a schedule that breaks
// an invariant is a complete bug report.
package schedules

import (
	"testing"

	"partnerkit.dev/marketplace/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
