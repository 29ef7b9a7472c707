// Prepare downloads PostgreSQL for the demo and the tests if the machine has none. make runs it
// first, because the output of tests and of the demo's commands is hidden while they run.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"partnerkit.dev/marketplace/internal/pgembed"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config := pgembed.ForTests("")
	config.Progress = os.Stderr
	if err := pgembed.Prepare(ctx, config); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
