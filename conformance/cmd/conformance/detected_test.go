//go:build race

package main_test

// detected says that the race detector watches this process.
const detected = true
