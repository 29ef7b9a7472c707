// Demo shows in one command what partnerkit does: it starts the mock partner on
// a free port, lets the conformance suite judge it, and says what came of it and
// where the report is.
//
//	go build -o build/ ./mockpartner/cmd/mockpartner ./conformance/cmd/conformance ./examples/cmd/demo
//	build/demo
//
// It runs the two commands as a user would, so what it shows is what they do.
// Their output is kept as log files beside the report. It ends with 0 when the
// mock partner was found conformant, else with 1, and never leaves it running.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	var d demo
	flag.StringVar(&d.bin, "bin", "build", "`folder` of the commands mockpartner and conformance")
	flag.StringVar(&d.out, "out", ".demo", "`folder` for the report and the logs")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "demo: unknown argument %q: see -help\n", flag.Arg(0))
		os.Exit(2)
	}
	d.stdout = os.Stdout

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := d.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}
