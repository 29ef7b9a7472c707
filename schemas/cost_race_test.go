//go:build race

package schemas_test

// The race detector empties pools now and then, so up to 600 bytes are allocated.
func init() { mostPerByte = 750 }
