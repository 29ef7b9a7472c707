package conformance

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/parts"
)

// The limits of a run.
const (
	// The command's own maximum: with fewer, rules would not be tested.
	mostHolds    = 1000
	mostBookings = 300
	// judgeTime is how long a run judges before it undoes its holds. A run that takes longer than
	// runTime in total is interrupted, and killed endTime later.
	judgeTime = 150 * time.Second
	runTime   = 4 * time.Minute
	endTime   = 8 * time.Second
	// leaseTime is how long a lease lasts without being extended.
	leaseTime   = 20 * time.Second
	extendEvery = 5 * time.Second
	lookEvery   = 100 * time.Millisecond
	// settleTime limits what is stored when the replica stops.
	settleTime = 3 * time.Second
	// mostReport limits a report, and mostLedger one read of a ledger, in bytes.
	mostReport = 64 << 20
	mostLedger = 4 << 20
)

// LongestRun is the maximum duration of Run.
const LongestRun = runTime + endTime + 10*time.Second

// Config configures a Runner.
type Config struct {
	Store        Store
	Integrations *partner.Registry
	Command      string // the path of the conformance command; "": runs fail
	Signer       *Signer
	Now          func() time.Time
	AllowPrivate bool      // allows partners with private addresses
	OnRunEnded   func(Run) `part:"optional"` // called for every run that has ended
	// Scale scales the time limits and leases; nil leaves them as they are.
	Scale func(time.Duration) time.Duration `part:"optional"`
	Log   *slog.Logger
}

// Runner executes runs. It is safe for concurrent use.
type Runner struct{ Config }

// NewRunner returns a runner.
func NewRunner(c Config) (*Runner, error) {
	if c.Scale == nil {
		c.Scale = func(limit time.Duration) time.Duration { return limit }
	}
	return &Runner{c}, parts.Check("conformance runs", c)
}

// errStopped is the reason of a run that was stopped before its verdict.
var errStopped = errors.New("the run took too long and was stopped")

// Run executes a queued run. It ignores a run that another replica has claimed or finished. If ctx
// ends, the run's holds are undone and it is queued again.
func (r *Runner) Run(ctx context.Context, id uuid.UUID) error {
	lease := Lease{id, uuid.New(), r.Scale(leaseTime)}
	run, err := r.Store.Begin(ctx, lease)
	if err != nil {
		return unlessGone(err)
	}
	o, err := r.judge(ctx, lease, run)
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Scale(settleTime))
	defer cancel()
	switch {
	case domain.CodeOf(err) == domain.NotFound: // another replica has claimed it
		return nil
	case ctx.Err() != nil && o.Verdict != "" && len(o.NotUndone) == 0:
		return errors.Join(ctx.Err(), unlessGone(r.Store.Requeue(settling, lease)))
	case ctx.Err() != nil: // something may be left: another replica cleans up when the lease has expired
		return nil
	case err != nil:
		r.Log.WarnContext(ctx, "a conformance run failed", slog.String("run_id", id.String()), slog.String("integration_id", run.Integration.String()), slog.Any("error", err))
		return r.finish(settling, lease, run, Outcome{State: Failed, Result: Result{Reason: storableText(err.Error()), NotUndone: o.NotUndone}})
	}
	return r.finish(settling, lease, run, o)
}

func (r *Runner) finish(ctx context.Context, lease Lease, run Run, o Outcome) error {
	effect, err := r.Store.Finish(ctx, lease, o)
	if err != nil {
		return unlessGone(err)
	}
	if o.Verdict == nonconformantVerdict {
		r.Log.WarnContext(ctx, "a conformance run found breaches of the contract", slog.String("run_id", run.ID.String()), slog.String("integration_id", run.Integration.String()), slog.Int("findings", len(o.Findings)), slog.Bool("certificate_ended", effect.Ended))
	}
	if c := o.Certificate; effect.Issued {
		r.Log.InfoContext(ctx, "a partner was certified", slog.String("run_id", run.ID.String()), slog.String("integration_id", run.Integration.String()), slog.Time("valid_until", c.ValidUntil))
	}
	if run.State, run.Result = o.State, o.Result; r.OnRunEnded != nil {
		r.OnRunEnded(run)
	}
	return nil
}

// storableText removes characters that PostgreSQL cannot store.
func storableText(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}

// judge runs the command and reads its report, which may exist even if the run was stopped.
func (r *Runner) judge(ctx context.Context, lease Lease, run Run) (o Outcome, err error) {
	i, target, err := r.partner(ctx, run)
	if err != nil {
		return o, err
	}
	dir, err := os.MkdirTemp("", "conformance-run-")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(dir)
	within, cancel := context.WithTimeout(ctx, r.Scale(runTime))
	defer cancel()
	identity, err := identify(dir, target)
	if err != nil {
		return o, err
	}
	p, err := startRun(r.Command, dir, target.AuthKey, append(r.arguments(i, run), identity...)...)
	if err != nil {
		return o, err
	}
	written := &writing{store: r.Store, lease: lease, limit: r.Scale(settleTime), process: p, ledger: filepath.Join(dir, ledgerFile), numbers: map[Kind]int{}, extended: time.Now(), log: r.Log}
	err = p.watch(within, lookEvery, r.Scale(endTime), func() (bool, error) { return written.look(ctx) })
	sum, read := o.readFile(filepath.Join(dir, reportJSON))
	switch code := p.code(); {
	case errors.Is(err, context.DeadlineExceeded) && within.Err() != nil:
		return o, errStopped
	case err != nil:
		return o, err
	case code != conformant && code != nonconformant && code != incomplete:
		return o, fmt.Errorf("the conformance command ended with %d: %s", code, p.lastError())
	case read != nil:
		return o, read
	}
	o.State = Finished
	if run.Scope == Full && o.Verdict == conformantVerdict {
		o.Certificate, err = r.Signer.certify(i, run, o.Result, sum, r.Now())
	}
	if err == nil {
		o.Reports, err = readReports(dir)
	}
	return o, err
}

// Exit codes of conformance run with a verdict.
const (
	conformant    = 0
	nonconformant = 1
	incomplete    = 3
)

// partner returns the integration and how it is called.
func (r *Runner) partner(ctx context.Context, run Run) (i domain.Integration, target partner.Target, err error) {
	if r.Command == "" {
		return i, target, errors.New("the replica has no conformance command")
	}
	if i, err = r.Integrations.Find(ctx, uuid.Nil, run.Integration); domain.CodeOf(err) == domain.NotFound {
		return i, target, errors.New("the integration was deleted")
	}
	if err != nil {
		return i, target, err
	}
	target, err = r.Integrations.Target(i)
	return i, target, err
}

// identityFile has the client certificate and its key. It is deleted with the process's folder.
const identityFile = "client.pem"

// identify writes a partner's client certificate for a process in that folder, and returns the flags
// that name it.
func identify(dir string, t partner.Target) (flags []string, err error) {
	if t.Identity == "" {
		return nil, nil
	}
	return []string{"--client-cert", identityFile, "--client-key", identityFile}, os.WriteFile(filepath.Join(dir, identityFile), []byte(t.Identity), 0o600)
}

const ledgerFile = "ledger.jsonl"

func (r *Runner) arguments(i domain.Integration, run Run) []string {
	args := append([]string{
		"run", "--base-url", i.BaseURL.String(), "--auth-type", string(i.AuthType), "--report-dir", ".", "--reports", strings.Join(ReportNames(), ","),
		"--progress", "json", "--await-ledger", "--max-duration", judgeTime.String(), "--max-holds", strconv.Itoa(mostHolds), "--max-bookings", strconv.Itoa(mostBookings),
	}, r.reach()...)
	if i.HandlesTicketDelivery {
		args = append(args, "--handles-ticket-delivery")
	}
	if run.Scope == ReadOnly {
		args = append(args, "--read-only")
	}
	if len(run.Rules) > 0 {
		args = append(args, "--rule", strings.Join(run.Rules, ","))
	}
	return args
}

// reach returns the flag that keeps the command out of private networks.
func (r *Runner) reach() []string {
	if r.AllowPrivate {
		return nil
	}
	return []string{"--public-only"}
}

// recheckPause is how long a recheck waits for the end of another run.
const recheckPause = time.Minute

// Recheck queues a read-only run. If a run is in progress, it returns how long to wait before another
// try: that run may be narrowed, or end with its replica.
func (r *Runner) Recheck(ctx context.Context, integration uuid.UUID) (wait time.Duration, err error) {
	_, err = NewService(r.Store, r.Command != "").Start(ctx, integration, ReadOnly, nil, true)
	var other *UnderWay
	switch {
	case errors.As(err, &other):
		return recheckPause, nil
	case domain.CodeOf(err) == domain.Conflict: // there is no conformance command
		return 0, nil
	default:
		return 0, err
	}
}

// Recover starts the cleanup of abandoned runs and withholds activities whose certificates have
// expired.
func (r *Runner) Recover(ctx context.Context) error {
	changed, err := r.Store.Withhold(ctx)
	for _, l := range changed {
		if l.Withheld {
			r.Log.WarnContext(ctx, "an integration's activities are no longer listed, because its certificate is no longer valid", slog.String("integration_id", l.Integration.String()))
		} else {
			r.Log.InfoContext(ctx, "an integration's activities are listed again", slog.String("integration_id", l.Integration.String()))
		}
	}
	return errors.Join(r.Store.Recover(ctx), err)
}

func unlessGone(err error) error {
	if domain.CodeOf(err) == domain.NotFound {
		return nil
	}
	return err
}

// readFile parses a report.json and returns its SHA-256.
func (o *Outcome) readFile(name string) (sum string, err error) {
	text, err := readAtMost(name, mostReport)
	if err != nil {
		return "", fmt.Errorf("the conformance command wrote no report: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text)), o.read(text)
}

func readReports(dir string) (reports []Report, err error) {
	for _, name := range ReportNames() {
		text, err := readAtMost(filepath.Join(dir, name), mostReport)
		if err != nil {
			return nil, err
		}
		var small bytes.Buffer
		pack := gzip.NewWriter(&small)
		_, err = pack.Write(text)
		if err := errors.Join(err, pack.Close()); err != nil {
			return nil, err
		}
		reports = append(reports, Report{name, small.Bytes()})
	}
	return reports, nil
}

func readAtMost(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s: expected at most %d bytes", filepath.Base(name), most)
	}
	return text, err
}
