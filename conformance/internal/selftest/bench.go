package selftest

import (
	"context"
	"strconv"
	"time"

	"partnerkit.dev/conformance/internal/inbox"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/settings"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/suite"
)

// bench makes the suite judge mocks, one after another or concurrently.
type bench struct {
	now      time.Time // the start time of all mocks' clocks
	recorded bool      // also judge a recording of each run
}

const (
	// webhookWait is how long the suite waits for a webhook. The mock sends them immediately, and
	// again after a second.
	webhookWait = 4 * time.Second
	// webhookWaitAmongOthers is the same where other customers' webhooks, hundreds a second, come first.
	webhookWaitAmongOthers = time.Minute
)

// judge judges a mock.
func (b *bench) judge(ctx context.Context, m *mock) (*suite.Outcome, error) {
	flags := []string{
		"--config=", "--base-url", m.address, "--clock-url", m.address + "/_mock/clock",
		"--limit-scale", strconv.FormatFloat(m.of.limitScale(), 'g', -1, 64),
	}
	// A partner without tickets is registered as leaving them to the marketplace.
	if !m.Default().Platform().Conduct().Policy.NoTickets {
		flags = append(flags, "--handles-ticket-delivery")
	}
	if m.inbox != "" {
		wait := webhookWait
		if m.of.Customers > 0 {
			wait = webhookWaitAmongOthers
		}
		flags = append(flags, "--webhook-listen", m.inbox, "--webhook-wait", wait.String())
	}
	config, err := settings.FromFlags(append(flags, m.of.Flags...), settings.Environment{
		probe.KeyVariable + "=" + authKey, inbox.SecretVariable + "=" + webhookSecret,
	})
	if err != nil {
		return nil, err
	}
	outcome, err := suite.Run(ctx, config)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return outcome, err
}

// try makes the suite judge the case's partner, and writes the report of an unexpected result into dir.
// A case about time is tried again if its result is unexpected, because a busy machine also causes
// late answers.
func (b *bench) try(ctx context.Context, dir string, c Case) (Trial, error) {
	trial, err := b.tryOnce(ctx, dir, c)
	if err == nil && len(trial.Problems) > 0 && c.isAboutTime() {
		return b.tryOnce(ctx, dir, c)
	}
	return trial, err
}

func (b *bench) tryOnce(ctx context.Context, dir string, c Case) (Trial, error) {
	began := time.Now()
	m, err := startMock(c, b.now)
	if err != nil {
		return Trial{}, err
	}
	defer m.close()
	outcome, err := b.judge(ctx, m)
	if err != nil {
		return Trial{}, err
	}
	result := outcome.Result
	trial := Trial{
		Kind: c.Kind, Name: c.Name, Rule: c.Rule, Dimension: c.Dimension,
		Failed: ruleIDs(result, report.Failed), Warned: ruleIDs(result, report.Warned), Idle: m.idleFaults(), Problems: []string{},
		Calls: result.Coverage.Calls, Holds: result.Coverage.Holds, Bookings: result.Coverage.Bookings,
	}
	if c.Kind == Defect || c.Kind == Deep {
		trial.weighDefect(result)
	} else {
		m.others.GoHome() // now nothing of theirs is left
		trial.weighLawful(result, m)
	}
	if b.recorded {
		if err := trial.weighRecorded(ctx, dir, m, result); err != nil {
			return trial, err
		}
		if err := trial.weighRunHAR(ctx, dir, m, outcome); err != nil {
			return trial, err
		}
	}
	trial.TookMS = time.Since(began).Milliseconds()
	if len(trial.Problems) == 0 {
		return trial, nil
	}
	_, _, err = outcome.WriteReports(dir, "report.json", "report.html")
	return trial, err
}
