package ledger_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/ledger"
)

// A byte in a MAC may change its case, which says the same; and the last line may be cut
// off, which leaves what it undid to be undone once more.
func TestALedgerOfWhichAnyByteWasChangedIsRefused(t *testing.T) {
	t.Parallel()
	l, name := begin(t)
	entry := attempt(t, l, "walk")
	l.Record(entry, setHeld("C1", "2026-07-01T09:20:00Z"))
	l.Record(entry, setBooked("B1"))
	was := l.Entries()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text := read(t, name)
	last := strings.LastIndex(text[:len(text)-1], "\n") + 1
	changed := filepath.Join(t.TempDir(), "changed.jsonl")
	for i := range text {
		forged := []byte(text)
		forged[i] ^= 1
		if err := os.WriteFile(changed, forged, 0o600); err != nil {
			t.Fatal(err)
		}
		opened, err := ledger.Open(changed, proof)
		if err != nil {
			continue
		}
		if i < last && !reflect.DeepEqual(opened.Entries(), was) {
			t.Errorf("byte %d, %q, changed: want it refused, got %+v", i, text[max(0, i-20):i+1], opened.Entries())
		}
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALedgerThatIsContinuedStaysValid(t *testing.T) {
	t.Parallel()
	l, name := begin(t)
	l.Record(attempt(t, l, "walk"), setHeld("C1", soonExpiry()))
	again := reopenKilled(t, l, name)
	again.Record(again.Open()[0], setUndone)
	if open := reopenKilled(t, again, name).Open(); len(open) != 0 {
		t.Errorf("want the lines of both accepted, got %d open", len(open))
	}
}

func TestALedgerThatFailsVerificationSaysWhy(t *testing.T) {
	t.Parallel()
	l, name := begin(t)
	attempt(t, l, "walk")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for what, wrong := range map[string]struct {
		proof ledger.Proof
		want  error
	}{
		"another key":     {ledger.Proof{AuthKey: "another"}, ledger.ErrAltered},
		"another address": {ledger.Proof{AuthKey: key, BaseURL: "https://evil.example"}, ledger.ErrOtherAddress},
		"its own address": {ledger.Proof{AuthKey: key, BaseURL: "https://partner.example"}, nil},
		"a waiver":        {ledger.Proof{AuthKey: "another", BaseURL: "https://evil.example", Waived: true}, nil},
	} {
		opened, err := ledger.Open(name, wrong.proof)
		if !errors.Is(err, wrong.want) {
			t.Errorf("%s: want %v, got %v", what, wrong.want, err)
		}
		if err == nil {
			_ = opened.Close()
		}
	}
}

// The key may be a part of the address, which is in no file then.
func TestALedgerWithoutItsAddressIsVerifiedByTheOneThatIsGiven(t *testing.T) {
	t.Parallel()
	address := "https://partner.example/" + key
	name := filepath.Join(t.TempDir(), "ledger.jsonl")
	l, err := ledger.Create(name, ledger.Head{BaseURL: address}, key)
	if err != nil {
		t.Fatal(err)
	}
	attempt(t, l, "walk")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Open(name, ledger.Proof{AuthKey: key, BaseURL: "https://evil.example"}); !errors.Is(err, ledger.ErrAltered) {
		t.Errorf("want another address refused, got %v", err)
	}
	if _, err := ledger.Open(name, proof); err == nil || !strings.Contains(err.Error(), "give --base-url") {
		t.Errorf("want it refused without an address, got %v", err)
	}
	opened, err := ledger.Open(name, ledger.Proof{AuthKey: key, BaseURL: address})
	if err != nil {
		t.Fatalf("want its own accepted, got %v", err)
	}
	_ = opened.Close()
}

func TestALedgerIsReadByItsOwnerOnly(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "ledger.jsonl")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := ledger.Create(name, ledger.Head{}, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("want mode 0600, got %v and %v", info.Mode(), err)
	}
}
