package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"partnerkit.dev/mockpartner/client"
)

// stage is what the steps share: folders, running services, and results for later steps.
type stage struct {
	bin, out string // folders of the commands and of the demo's files
	depth    string // of the suite's runs
	scratch  string // the folder of the marketplace's data; removed at the end
	output   *printer
	log      *os.File // the transcript
	services []*service

	fixedPorts bool // the services listen on their own ports

	partner partner
	market  market
	test    market // the marketplace in test mode
}

// partner is the mock partner.
type partner struct {
	url, key   string
	shown      *client.Client // prints its calls
	silent     *client.Client
	printCalls bool   // the marketplace's calls to it are printed
	probes     bool   // its health probes are printed, too
	last       uint64 // the number of the last printed exchange
}

// left lists the files of a demo. Files of an earlier demo are removed, so that they are not
// mistaken for this one's.
var left = []string{"demo.log", "mockpartner.log", "marketplace.log", "certified", "certified.log", "broken", "broken.log", "partner.har", "verdict.json"}

// open prepares the stage. Always call close.
func open(bin, out string, screen io.Writer) (_ *stage, err error) {
	s := &stage{bin: bin, out: out, depth: "standard"}
	if err := os.MkdirAll(out, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for reports and logs: %w", err)
	}
	for _, name := range left {
		if err := os.RemoveAll(filepath.Join(out, name)); err != nil {
			return nil, fmt.Errorf("remove what an earlier demo has left: %w", err)
		}
	}
	if s.log, err = os.Create(filepath.Join(out, "demo.log")); err != nil {
		return nil, fmt.Errorf("keep the log of the steps: %w", err)
	}
	s.output = newPrinter(screen, s.log)
	if s.scratch, err = os.MkdirTemp("", "partnerkit-demo-"); err != nil {
		return nil, errors.Join(fmt.Errorf("make a folder for the marketplace's data: %w", err), s.log.Close())
	}
	// If root runs the demo, PostgreSQL's user must be able to pass through the folder.
	if err := os.Chmod(s.scratch, 0o711); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// close stops the services in reverse order and removes the temporary files.
func (s *stage) close() error {
	var failed []error
	for _, v := range slices.Backward(s.services) {
		failed = append(failed, v.close())
	}
	return errors.Join(append(failed, os.RemoveAll(s.scratch), s.log.Close())...)
}

func (s *stage) logFile(name string) (*os.File, error) {
	file, err := os.Create(filepath.Join(s.out, name+".log"))
	if err != nil {
		return nil, fmt.Errorf("keep the output of %s: %w", name, err)
	}
	return file, nil
}

// startPartner starts the mock partner.
func (s *stage) startPartner(ctx context.Context, key string) (err error) {
	args := []string{"serve", "--addr", s.address("mockpartner")}
	s.output.command("mockpartner", args...)
	s.partner.key = key
	if s.partner.url, err = s.serve(ctx, []string{"MOCKPARTNER_AUTH_KEY=" + key}, "mockpartner", args...); err != nil {
		return err
	}
	if s.partner.silent, err = client.New(s.partner.url, client.Options{}); err != nil {
		return err
	}
	s.partner.shown, err = client.New(s.partner.url, client.Options{HTTP: s.output.listening("mock", nil)})
	return err
}

// printPartnerCalls prints the marketplace's calls to the partner since the last time. If they
// cannot be read, the demo continues.
func (s *stage) printPartnerCalls(ctx context.Context) {
	p := &s.partner
	if !p.printCalls {
		return
	}
	exchanges, err := p.silent.Journal.Exchanges(ctx, client.Filter{After: p.last})
	if err != nil {
		return
	}
	for _, e := range exchanges {
		if !e.Done {
			return // this one and the later ones are printed when it has ended
		}
		p.last = e.Number
		if p.probes || e.Target != probe {
			s.output.printCall(e.Status, "partner", e.Method+" "+e.Target)
		}
	}
}

// probe is the target of a health probe.
const probe = "/products?limit=1"
