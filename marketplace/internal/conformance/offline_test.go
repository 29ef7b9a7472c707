package conformance_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/conformance"
)

// TestAPartnersCustomerVerifiesItsCertificateOffline verifies certificates as the service issues
// them with the conformance command and a copy of the service's keys.
func TestAPartnersCustomerVerifiesItsCertificateOffline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	issued := func(now func() time.Time) (b *bench, certificate string) {
		b = setup(t)
		b.config.Now = now
		run := b.runSuite(t, conformance.Full, "conformant")
		must(t, b.store.Pool().QueryRow(t.Context(), `SELECT jws FROM conformance_certificates WHERE run_id = $1`, run.ID).Scan(&certificate))
		return b, certificate
	}
	b, good := issued(time.Now)
	_, expired := issued(func() time.Time { return time.Now().Add(-90*24*time.Hour - time.Minute) })
	keys := write("keys.json", string(b.signer.Keys()))
	secret, err := auth.NewSecret([]byte(strings.Repeat("o", auth.ShortestSecret)))
	must(t, err)
	other, err := conformance.NewSigner(secret)
	must(t, err)
	// changed changes the last bit of the character at a place of the certificate's part.
	changed := func(part, at int) string {
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
		parts := strings.Split(good, ".")
		text := []byte(parts[part])
		at = (at + len(text)) % len(text)
		text[at] = alphabet[strings.IndexByte(alphabet, text[at])^1]
		parts[part] = string(text)
		return strings.Join(parts, ".")
	}
	for name, c := range map[string]struct {
		certificate, keys string
		code              int
		says              string
	}{
		"as issued":                                    {good, keys, 0, "conformant: x at https://partner.example"},
		"one byte of its content changed":              {changed(1, 40), keys, 1, "it was changed"},
		"one byte of its signature changed":            {changed(2, 40), keys, 1, "it was changed"},
		"the last byte changed, which has unused bits": {changed(2, -1), keys, 1, "it was changed"},
		"the keys of another service":                  {good, write("other.json", string(other.Keys())), 1, "that --key does not contain"},
		"expired":                                      {expired, keys, 1, "it expired at "},
	} {
		verify := exec.CommandContext(t.Context(), command(), "verify", write(strings.ReplaceAll(name, " ", "-")+".jws", c.certificate), "--key", c.keys)
		// A call over the network would fail.
		verify.Env = append(os.Environ(), "HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1")
		output, err := verify.CombinedOutput()
		if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		if code := verify.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(output), c.says) {
			t.Errorf("%s: Expected exit %d and %q, received exit %d and %s", name, c.code, c.says, code, output)
		}
	}
}

func TestACertificateThatANewerOneHasReplacedEndsWithIt(t *testing.T) {
	t.Parallel()
	b, dir := setup(t), t.TempDir()
	ahead := -time.Minute // certificates are issued a while apart, as by real runs
	b.config.Now = func() time.Time { return time.Now().Add(ahead) }
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	issue := func(name string) string {
		b.runSuite(t, conformance.Full, "conformant")
		text, is := b.findCertificate(t)
		if !is {
			t.Fatal("Expected a certificate, received none")
		}
		return write(name, text)
	}
	keys := write("keys.json", string(b.signer.Keys()))
	wantVerified := func(file string, code int, says string) {
		t.Helper()
		list, err := b.store.Runs.Revocations(t.Context())
		must(t, err)
		text, err := b.signer.SignRevocations(list, time.Now())
		must(t, err)
		verify := exec.CommandContext(t.Context(), command(), "verify", file, "--key", keys, "--revocations", write("revocations.jws", text))
		output, _ := verify.CombinedOutput()
		if received := verify.ProcessState.ExitCode(); received != code || !strings.Contains(string(output), says) {
			t.Errorf("%s: Expected exit %d and %q, received exit %d and %s", file, code, says, received, output)
		}
	}
	older := issue("older.jws")
	ahead = -time.Second * 30
	newer := issue("newer.jws")
	wantVerified(older, 0, "valid: ")
	wantVerified(newer, 0, "valid: ")
	b.runSuite(t, conformance.ReadOnly, "nonconformant")
	wantVerified(older, 1, ": breach")
	wantVerified(newer, 1, ": breach")
	ahead = time.Second * 30
	wantVerified(issue("newest.jws"), 0, "valid: ")
	wantVerified(older, 1, ": breach")
	b.exec(t, `DELETE FROM conformance_certificates`)
	wantVerified(filepath.Join(dir, "newest.jws"), 1, ": deleted")
}
