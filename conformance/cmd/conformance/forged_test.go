package main_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/ledger"
)

// A ledger travels: as an artifact of CI, in a repository, from machine to machine. What
// cleanup releases and cancels with the partner's key, and where it sends that key, must
// be what a run with this key wrote.
func TestAForgedLedgerNeitherReceivesTheKeyNorCancelsAnything(t *testing.T) {
	t.Parallel()
	partner := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("expected no request, received %s %s with %q", r.Method, r.URL, r.Header.Get("Authorization"))
	})
	macs := regexp.MustCompile(`,"mac":"[0-9a-f]*"`)
	for name, forged := range map[string]struct {
		forge func(text string) string
		words string
	}{
		"with another address": {func(text string) string {
			return strings.Replace(text, "https://partner.example", partner, 1)
		}, "line 1 was not written by a run with this key at this address"},
		"with another booking": {func(text string) string {
			return strings.Replace(text, `"booking_id":"B2"`, `"booking_id":"B3"`, 1)
		}, "line 5 was not written"},
		"with a line more": {func(text string) string {
			return text + `{"entry":2,"at":"2026-07-01T09:00:00Z","state":"booked","booking_id":"B9"}` + "\n"
		}, "line 6 was not written"},
		"with two lines in another order": {func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			lines[2], lines[3] = lines[3], lines[2]
			return strings.Join(lines, "")
		}, "line 3 was not written"},
		"with no MAC at all, as older versions wrote them": {func(text string) string {
			return strings.Replace(macs.ReplaceAllString(text, ""), `{"ledger":2,`, `{"ledger":1,`, 1)
		}, "it has no MACs: an older version of this command wrote it, or they were removed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			account := leave(t, "https://partner.example", isHeld, isBooked)
			text, err := os.ReadFile(account)
			if err != nil {
				t.Fatal(err)
			}
			forgery := forged.forge(string(text))
			if err := os.WriteFile(account, []byte(forgery), 0o600); err != nil {
				t.Fatal(err)
			}
			r := start(t, withKey(), "cleanup", account).wait(t)
			if r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, forged.words) || !strings.Contains(r.stderr, "cleanup --force --base-url") || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("want exit 2 and one line with %q, got %d and %s%s", forged.words, r.code, r.stdout, r.stderr)
			}
			if now, err := os.ReadFile(account); err != nil || string(now) != forgery {
				t.Errorf("want the file as it was, got %v\n%s", err, now)
			}
		})
	}
}

func TestALedgerIsCleanedUpAtItsOwnAddressOnly(t *testing.T) {
	t.Parallel()
	partner := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("expected no request, received %s %s", r.Method, r.URL)
	})
	account := leave(t, "https://partner.example", isBooked)
	for _, wrong := range []struct {
		args []string
		key  string
		want string
	}{
		{[]string{"--base-url", partner}, key, `it is about another address, "https://partner.example": leave out --base-url, or add --force if the partner has moved`},
		{nil, "another-key", "line 1 was not written by a run with this key at this address"},
		{[]string{"--force"}, key, "--force needs --base-url: the address in a ledger that is not verified is not used"},
	} {
		r := start(t, []string{"CONFORMANCE_AUTH_KEY=" + wrong.key}, append([]string{"cleanup", account}, wrong.args...)...).wait(t)
		if r.code != 2 || !strings.Contains(r.stderr, wrong.want) {
			t.Errorf("%v: want exit 2 and %q, got %d and %s", wrong.args, wrong.want, r.code, r.stderr)
		}
	}
}

func TestTheUserMayVouchForALedger(t *testing.T) {
	t.Parallel()
	released := make(chan string, 10)
	partner := serve(t, func(w http.ResponseWriter, r *http.Request) {
		released <- r.Method + " " + r.URL.Path
		fmt.Fprint(w, `{"success":true}`)
	})
	for name, change := range map[string]func(string) string{
		"the partner has moved":   func(text string) string { return text },
		"an older version's file": func(text string) string { return regexp.MustCompile(`,"mac":"[0-9a-f]*"`).ReplaceAllString(text, "") },
	} {
		account := leave(t, "https://partner.example", func(e *ledger.Entry) { isHeld(e); e.Code = "C-" + name })
		text, err := os.ReadFile(account)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(account, []byte(change(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time there is nothing left
			r := start(t, withKey(), "cleanup", account, "--force", "--base-url", partner).wait(t)
			if r.code != 0 || !strings.Contains(r.stdout, "nothing is left") {
				t.Errorf("%s: want it cleaned up, got %d\n%s%s", name, r.code, r.stdout, r.stderr)
			}
		}
		if len(released) != 1 {
			t.Errorf("%s: want one release, got %d", name, len(released))
		}
		<-released
	}
}
