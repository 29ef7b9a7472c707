// Package errtest ends a test at an error that it does not expect.
package errtest

// T is a test, benchmark or fuzz test, or a property of one.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Check ends the test at an error.
func Check(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
