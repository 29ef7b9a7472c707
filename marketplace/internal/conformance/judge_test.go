package conformance_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/waittest"
	"partnerkit.dev/mockpartner"
)

func TestALawfulPartnerOfTwoReplicasIsNotAccused(t *testing.T) {
	t.Parallel()
	b := setupJudges(t, mockpartner.Options{}, 2)
	judged := func() (n int64) {
		for _, r := range b.replicas {
			n += r.judge.Counts().Judged
		}
		return n
	}
	var shoppers sync.WaitGroup
	for n := range uint64(4) {
		shoppers.Go(func() {
			s := b.shopper(n)
			offers := s.pull(t.Context())
			for judged() < 200 && !t.Failed() { // a judge that is behind drops calls
				s.book(t.Context(), offers)
			}
		})
	}
	shoppers.Wait()
	for _, r := range b.replicas {
		r.judge.Close() // judges what waits
	}
	for _, breach := range b.breaches(t) {
		t.Errorf("Expected no breach, received %s (%s): %s\n%s", breach.Rule, breach.Clause, breach.Message, breach.Exchanges)
	}
}

func TestABreachAppearsWhileTheServiceRuns(t *testing.T) {
	t.Parallel()
	shared := setupJudges(t, mockpartner.Options{}, 2)
	defect := func(name string) mockpartner.Options { return mockpartner.Options{Defects: []string{name}} }
	for rule, options := range map[string]mockpartner.Options{
		"confirm.repeat.booking":      defect("second-confirm-books-again"),
		"availability.slot.permanent": defect("slot-ids-drift"),
		"reserve.json":                defect("hold-in-xml"),
		"confirm.confirmed":           defect("booking-is-pending"),
		"products.pricing.original":   defect("price-as-text"),
		"products.auth.accepted":      {Around: sometimesUnauthorized},
		"availability.one-day":        {Around: dayLacksASlot},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			b := *shared
			b.target = b.partner(t, options)
			s := b.shopper(1)
			began := time.Now()
			waittest.Until(t, "a breach of "+rule, func() bool {
				offers := s.pull(t.Context())
				for range 3 {
					if len(offers) > 0 {
						s.book(t.Context(), offers)
					}
				}
				found := b.breaches(t)
				return len(found) > 0
			})
			for _, breach := range b.breaches(t) {
				if breach.Rule != rule || breach.Clause == "" || breach.Count < 1 || breach.Since.Before(began.Add(-time.Second)) || breach.At.Before(breach.Since) || len(breach.Exchanges) < 10 {
					t.Errorf("Expected %s with its clause and evidence, received %+v", rule, breach)
				}
			}
			// A breach is stored first and logged after that.
			line := `"a partner breaches the contract" integration_id=` + b.target.ID.String()
			waittest.Until(t, "one line for each new breach", func() bool { return strings.Count(b.log.String(), line) >= len(b.breaches(t)) })
			if text := b.log.String(); strings.Count(text, line) != len(b.breaches(t)) {
				t.Errorf("Expected one line for each new breach, received %s", text)
			}
		})
	}
}

func TestABreachThatBothReplicasSeeIsOneRow(t *testing.T) {
	t.Parallel()
	b := setupJudges(t, mockpartner.Options{}, 0)
	at := time.Now().UTC().Truncate(time.Second)
	seen := func(count int64, at time.Time, message string) conformance.Breach {
		return conformance.Breach{Integration: b.target.ID, Rule: "reserve.json", Clause: "RSV-2", Level: "MUST", Endpoint: "reserve", Message: message, Count: count, FirstSeen: at, LastSeen: at, Evidence: []byte("[]")}
	}
	for _, step := range []struct {
		breach       conformance.Breach
		fresh        int
		count        int64
		since, until time.Time
		message      string
	}{
		{seen(2, at, "first"), 1, 2, at, at, "first"},
		{seen(3, at.Add(-time.Minute), "of the other replica, earlier"), 0, 5, at.Add(-time.Minute), at, "first"},
		{seen(1, at.Add(time.Hour), "later"), 0, 6, at.Add(-time.Minute), at.Add(time.Hour), "later"},
		{seen(1, at.Add(26*time.Hour), "after a day"), 1, 1, at.Add(26 * time.Hour), at.Add(26 * time.Hour), "after a day"},
	} {
		fresh, err := b.store.Partners.KeepBreaches(t.Context(), []conformance.Breach{step.breach})
		must(t, err)
		found := b.breaches(t)
		if len(found) != 1 || len(fresh) != step.fresh || int64(found[0].Count) != step.count || !found[0].Since.Equal(step.since) || !found[0].At.Equal(step.until) || found[0].Message != step.message {
			t.Errorf("Expected one row of %+v, received %+v, %d fresh", step, found, len(fresh))
		}
	}
	if n, err := b.store.Partners.DropJudgedBreaches(t.Context(), at.Add(27*time.Hour), 10); n != 1 || err != nil {
		t.Errorf("Expected the old row to be deleted, received %d and %v", n, err)
	}
}

func TestNoKeyAndNoGuestIsStored(t *testing.T) {
	t.Parallel()
	b := setupJudges(t, mockpartner.Options{Defects: []string{"second-confirm-books-again"}}, 1)
	s := b.shopper(1)
	offers := s.pull(t.Context())
	waittest.Until(t, "a breach", func() bool {
		s.book(t.Context(), offers)
		return len(b.breaches(t)) > 0
	})
	text := fmt.Sprintf("%s %+v", b.breaches(t)[0].Exchanges, b.breaches(t)) + b.log.String()
	for _, secret := range []string{key, hex.EncodeToString([]byte(key)), base64.StdEncoding.EncodeToString([]byte(key)), s.guest.FullName, "Quill", s.guest.EmailAddress, s.guest.PhoneNumber} {
		if strings.Contains(text, secret) {
			t.Errorf("Expected no %q, received %s", secret, text)
		}
	}
}

func TestAJudgeThatDoesNotReadDelaysNoCall(t *testing.T) {
	t.Parallel()
	b := setupJudges(t, mockpartner.Options{}, 0)
	deaf := script(t, "exec sleep 600")
	r := b.add(t, deaf)
	s := b.shopper(1)
	offers := s.pull(t.Context())
	waittest.Until(t, "dropped calls", func() bool {
		s.slots(t.Context(), r.client, offers[0].product, offers[0].option, 0, 60)
		counts := r.judge.Counts()
		return counts.Dropped[conformance.DroppedBehind]+counts.Dropped[conformance.DroppedStopped] > 0
	})
	if text := b.log.String(); !strings.Contains(text, "calls to partners were not judged") {
		t.Errorf("Expected the log to say that calls were not judged, received %s", text)
	}
}

func TestAJudgeThatEndsIsStartedAgain(t *testing.T) {
	t.Parallel()
	b := setupJudges(t, mockpartner.Options{Defects: []string{"hold-in-xml"}}, 0)
	once := script(t, `if mkdir "$0.ran" 2>/dev/null; then echo "out of memory" >&2; exit 7; fi; exec '`+command()+`' "$@"`)
	b.add(t, once)
	s := b.shopper(1)
	offers := s.pull(t.Context())
	waittest.Until(t, "a breach", func() bool {
		s.book(t.Context(), offers)
		return len(b.breaches(t)) > 0
	})
	if text := b.log.String(); !strings.Contains(text, "ended with 7: out of memory") {
		t.Errorf("Expected the log to say why it ended, received %s", text)
	}
}

// The service waits briefly for its judge. One that is stuck must not outlive the service.
func TestAStuckJudgeIsKilledAtTheEnd(t *testing.T) {
	t.Parallel()
	b := setupJudges(t, mockpartner.Options{}, 0)
	started := filepath.Join(t.TempDir(), "started")
	r := b.add(t, script(t, `trap '' INT TERM; echo $$ >'`+started+`'; while :; do sleep 1; done`))
	var pid int
	waittest.Until(t, "the judge", func() bool {
		written, _ := os.ReadFile(started)
		_, err := fmt.Sscanln(string(written), &pid)
		return err == nil
	})
	s := b.shopper(1)
	offers := s.pull(t.Context())
	for range 20 { // more than a pipe holds, so the judge would have to read
		s.slots(t.Context(), r.client, offers[0].product, offers[0].option, 0, 60)
	}
	closed := make(chan struct{})
	go func() { r.judge.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(patience): // it waits a second
		t.Error("want the end, though the judge is stuck")
	}
	if process, err := os.FindProcess(pid); err == nil && process.Signal(syscall.Signal(0)) == nil {
		t.Errorf("want no judge left, got process %d", pid)
	}
}

// The judge of this test stops at each call of one partner, as it would for lack of memory.
func TestAPartnerWhoseCallsStopTheJudgeIsLeftOutAndNamed(t *testing.T) {
	t.Parallel()
	b := setupJudges(t, mockpartner.Options{Defects: []string{"second-confirm-books-again"}}, 0)
	attacker, other := b.partner(t, mockpartner.Options{}), b.target
	id := attacker.ID.String()
	// Not a loop of the shell, which reads byte by byte: on a busy machine its pipe would stay full for too long.
	r := b.add(t, script(t, `exec 3>&1; awk 'index($0, "`+id+`") { print "{\"history\":\"`+id+`/x\"}" >"/dev/fd/3"; exit 7 } { print; fflush() }' | '`+command()+`' "$@"`))
	attack := func() {
		_ = r.client.Products(t.Context(), attacker, time.Time{}, func(context.Context, []byte) error { return nil })
	}
	waittest.Until(t, "the judge to stop", func() bool {
		attack()
		return r.judge.Counts().Restarts > 0
	})
	s := b.shopper(1)
	s.target = other
	waittest.Until(t, "a breach of the other partner", func() bool {
		attack()
		offers := s.pull(t.Context())
		if len(offers) > 0 {
			s.book(t.Context(), offers)
		}
		return len(b.breaches(t)) > 0
	})
	counts := r.judge.Counts()
	if counts.Restarts != 1 || counts.Dropped[conformance.DroppedLeftOut] == 0 {
		t.Errorf("Expected the judge to stop once, and calls that were left out, received %+v", counts)
	}
	overview, err := b.store.Overview(t.Context(), time.Now())
	must(t, err)
	if paused := overview.JudgingPaused; len(paused) != 1 || paused[0].IntegrationID != attacker.ID.String() || paused[0].Name == "" || !paused[0].Until.After(paused[0].Since) {
		t.Errorf("Expected the partner on the overview, received %+v", paused)
	}
	later, err := b.store.Overview(t.Context(), time.Now().Add(2*time.Hour))
	must(t, err)
	if len(later.JudgingPaused) != 0 {
		t.Errorf("Expected the pause to end, received %+v", later.JudgingPaused)
	}
}
