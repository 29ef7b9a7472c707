package main_test

import "os"

// soakRuns is the variable that asks for the long form of the tests that have one,
// and says how often each partner of a soak is judged; see make soak.
const soakRuns = "SOAK"

// shortStep is how many entries of a long table come to one that is tried without a
// soak. Those of a table with rows and columns lie on diagonals, which leave no row
// and no column out.
const shortStep = 4

// isTried reports whether an entry of a long table is tried: all are in a soak.
func isTried(entry int) bool { return os.Getenv(soakRuns) != "" || entry%shortStep == 0 }
