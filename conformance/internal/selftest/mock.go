package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
)

// authKey is the key of every mock. It opens nothing else.
const authKey = "a-key-for-the-selftest"

type mock struct {
	*mockpartner.Mock
	of      Case
	address string
	server  *http.Server
}

func startMock(of Case, now time.Time) (*mock, error) {
	options := of.Options
	options.AuthKey, options.LimitScale, options.Now = authKey, of.limitScale(), now
	partner, err := mockpartner.New(options)
	if err != nil {
		return nil, fmt.Errorf("make the mock partner: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		partner.Close()
		return nil, fmt.Errorf("serve the mock partner: %w", err)
	}
	m := &mock{Mock: partner, of: of, address: "http://" + listener.Addr().String(), server: &http.Server{Handler: partner}}
	go func() { _ = m.server.Serve(listener) }() // it ends when close does
	return m, nil
}

func (m *mock) close() {
	m.Mock.Close()
	_ = m.server.Close() // the run is over: nobody is left to be told
}

func (m *mock) idle() []string {
	names := []string{}
	for _, fault := range m.Default().Faults().Faults() {
		if fault.Fired == 0 {
			names = append(names, fault.Name)
		}
	}
	return names
}

func (m *mock) quirky() bool { return len(m.Default().Platform().Conduct().Quirks) > 0 }

// answers are the different answers of a mock: endpoint, status and body. Two runs
// against the same mock get the same, whatever they do at once: what follows from
// the time, or from who came first, is left out.
type answers map[string]bool

// passing are date-times, and the codes and ids of holds, bookings and tickets.
var passing = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)|unknown-[0-9A-Za-z-]+|"(reservationConfirmationCode|externalBookingId|uuid|deliveryValue)":"[^"]*"`)

func (m *mock) answers() answers {
	different := answers{}
	for _, exchange := range m.Default().Journal().Record().Exchanges {
		if exchange.Endpoint != "" {
			body := passing.ReplaceAll(exchange.Answer.Body, nil)
			different[fmt.Sprintf("%s %d %s", exchange.Endpoint, exchange.Status, body)] = true
		}
	}
	return different
}

const mostBookings = 2

// LeftBehind says what a run has left in a mock that it should have undone, and
// whether seats were lost.
func LeftBehind(partner *mockpartner.Mock) (left []string) {
	business := partner.Default().Platform()
	for _, violation := range business.Invariants() {
		left = append(left, fmt.Sprintf("%s: %s: %s", violation.Law, violation.Subject, violation.Message))
	}
	for _, hold := range business.Holds() {
		if hold.State == mockpartner.Held {
			left = append(left, fmt.Sprintf("the hold %q was left", hold.Code))
		}
	}
	booked, most := 0, 0
	if business.Conduct().Policy.NoCancel {
		most = mostBookings
	}
	for _, booking := range business.Bookings() {
		if booking.State != mockpartner.Cancelled {
			booked++
		}
	}
	if booked > most {
		left = append(left, fmt.Sprintf("%d bookings were left, where at most %d may be", booked, most))
	}
	return left
}

// bench has the suite judge one mock after another, or several at once.
type bench struct {
	command string    // the file of the conformance command
	now     time.Time // where the clocks of all mocks begin, so that all sell the same slots
	plain   func() (answers, error)
}

func newBench(command string) *bench {
	b := &bench{command: command, now: time.Now()}
	b.plain = sync.OnceValues(b.askPlain)
	return b
}

func (b *bench) askPlain() (answers, error) {
	dir, err := os.MkdirTemp("", "conformance-selftest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	m, err := startMock(Case{Kind: Lawful, Name: "mock"}, b.now) // without flags, as defects are judged
	if err != nil {
		return nil, err
	}
	defer m.close()
	// Whoever waits for it has a context of its own: a run takes a second.
	if _, err := b.judge(context.Background(), dir, m); err != nil {
		return nil, fmt.Errorf("the mock as it is: %w", err)
	}
	return m.answers(), nil
}

// judge has the command judge a mock, and returns what its report says. The
// report's files are in dir afterwards.
func (b *bench) judge(ctx context.Context, dir string, m *mock) (*report.Result, error) {
	account := filepath.Join(dir, "ledger.jsonl")
	if err := os.Remove(account); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // of an earlier try: what it left behind ended with its mock
	}
	args := []string{
		"run", "--config", "", "--report-dir", dir, "--reports", "report.json", "--ledger", account,
		"--base-url", m.address, "--clock-url", m.address + "/_mock/clock",
		"--limit-scale", strconv.FormatFloat(m.of.limitScale(), 'g', -1, 64),
	}
	// A partner without tickets is registered as one that leaves them to the marketplace.
	if !m.Default().Platform().Conduct().Policy.NoTickets {
		args = append(args, "--handles-ticket-delivery")
	}
	run := exec.CommandContext(ctx, b.command, append(args, m.of.Flags...)...)
	// What the environment says of another partner is not for the mock.
	run.Env = append(slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "CONFORMANCE_")
	}), probe.KeyVariable+"="+authKey, "GOGC=400") // a run is short: memory is cheaper than the time to tidy it
	var complaint bytes.Buffer
	run.Stderr = &complaint
	err := run.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// Its exit code says what the verdict in the report says.
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("start the suite: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		return nil, fmt.Errorf("the suite wrote no report, and ended with %s: %s", run.ProcessState, strings.TrimSpace(complaint.String()))
	}
	result := &report.Result{}
	if err := json.Unmarshal(text, result); err != nil {
		return nil, fmt.Errorf("read the suite's report: %w", err)
	}
	return result, nil
}
