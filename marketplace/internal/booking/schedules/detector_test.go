//go:build race

package schedules

// The race detector makes a run some eight times as dear, and `make test` plays the
// schedules without it as well.
func init() { quick = 1 }
