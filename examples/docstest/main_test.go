package docstest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain leaves the documents out with -short.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("-short leaves out the documents")
		return
	}
	os.Exit(m.Run())
}
