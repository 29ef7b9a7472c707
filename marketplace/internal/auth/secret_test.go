package auth_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"partnerkit.dev/marketplace/internal/auth"
)

func aSecret(t *testing.T, letter string) *auth.Secret {
	t.Helper()
	s, err := auth.NewSecret([]byte(strings.Repeat(letter, auth.ShortestSecret)))
	must(t, err)
	return s
}

func TestAShortSecretIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := auth.NewSecret(make([]byte, auth.ShortestSecret-1)); err == nil {
		t.Error("want it refused")
	}
}

func TestASealedTextOpensForItsOwnerWithItsSecretAlone(t *testing.T) {
	t.Parallel()
	sealer := aSecret(t, "a").Sealer("partner keys")
	sealed := sealer.Seal("the partner's key", "integration 1")
	if bytes.Contains(sealed, []byte("key")) {
		t.Error("want nothing of the text to be seen")
	}
	if got, err := sealer.Open(sealed, "integration 1"); err != nil || got != "the partner's key" {
		t.Errorf("want the text, got %q and %v", got, err)
	}
	broken := bytes.Clone(sealed)
	broken[len(broken)-1] ^= 1
	for name, open := range map[string]func() (string, error){
		"another owner":   func() (string, error) { return sealer.Open(sealed, "integration 2") },
		"another purpose": func() (string, error) { return aSecret(t, "a").Sealer("other").Open(sealed, "integration 1") },
		"another secret":  func() (string, error) { return aSecret(t, "b").Sealer("partner keys").Open(sealed, "integration 1") },
		"a changed bit":   func() (string, error) { return sealer.Open(broken, "integration 1") },
		"nothing":         func() (string, error) { return sealer.Open(nil, "integration 1") },
	} {
		if got, err := open(); !errors.Is(err, auth.ErrSealed) || got != "" {
			t.Errorf("%s: want it closed, got %q and %v", name, got, err)
		}
	}
}

func TestTheSameTextIsSealedDifferentlyEachTime(t *testing.T) {
	t.Parallel()
	sealer := aSecret(t, "a").Sealer("partner keys")
	if bytes.Equal(sealer.Seal("x", "y"), sealer.Seal("x", "y")) {
		t.Error("want two seals to differ")
	}
}

func TestASecretIsNotPrinted(t *testing.T) {
	t.Parallel()
	s := aSecret(t, "a")
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if printed := fmt.Sprintf(format, s); strings.Contains(printed, "aaa") || strings.Contains(printed, "97") {
			t.Errorf("%s: want nothing of it, got %s", format, printed)
		}
	}
}

func TestATokenMatchesItsOwnHash(t *testing.T) {
	t.Parallel()
	token := auth.NewToken()
	if len(token) != 64 || token == auth.NewToken() {
		t.Errorf("want 64 digits, others each time, got %q", token)
	}
	if !auth.TokenMatches(token, auth.HashToken(token)) || auth.TokenMatches(token+"0", auth.HashToken(token)) || auth.TokenMatches("", nil) {
		t.Error("want the token to match its hash, and no other")
	}
}
