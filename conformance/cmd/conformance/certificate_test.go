package main_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// aKey is an Ed25519 key with a name, and the set of its public part.
func aKey(t *testing.T, name string) (private ed25519.PrivateKey, set []byte) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err = json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: name, Algorithm: "EdDSA", Use: "sig"}}})
	if err != nil {
		t.Fatal(err)
	}
	return private, set
}

// aCertificate signs a certificate that expires then, with additional claims.
func aCertificate(t *testing.T, private ed25519.PrivateKey, name, kind string, expires time.Time, more ...map[string]any) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType(jose.ContentType(kind)).WithHeader("kid", name)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, options)
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]any{
		"sub": "i-1", "jti": "r-1", "iat": expires.Add(-time.Hour).Unix(), "exp": expires.Unix(), "name": "Boats", "base_url": "https://partner.example",
		"verdict": "conformant", "suite_version": "1.2.3", "contract_version": "c0ffee", "report_sha256": "5f0c",
	}
	for _, one := range more {
		maps.Copy(claims, one)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

func TestACertificateIsVerifiedByTheKeysOfItsService(t *testing.T) {
	t.Parallel()
	const kind = "conformance-certificate+jwt"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	private, set := aKey(t, "k-1")
	stranger, strange := aKey(t, "k-1")
	_, unrelated := aKey(t, "k-2")
	keys := write("keys.json", string(set))
	served := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(set) })
	missing := serve(t, http.NotFound)
	soon := time.Now().Add(time.Hour / 2)
	good := aCertificate(t, private, "k-1", kind, soon)
	// One byte of the payload is changed: it stays readable, and says another name.
	parts := strings.Split(good, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	changed := parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(payload), "Boats", "Goats", 1))) + "." + parts[2]
	full := aCertificate(t, private, "k-1", kind, soon, map[string]any{"auth_type": "api_key", "handles_ticket_delivery": false})
	for name, c := range map[string]struct {
		certificate, keys string
		code              int
		says              string
	}{
		"as it was issued":               {good + "\n", keys, 0, "states    conformant: Boats at https://partner.example"},
		"with the settings it is for":    {full, keys, 0, "settings  auth_type api_key, handles_ticket_delivery false"},
		"one from before they were in":   {good, keys, 0, "settings  auth_type and handles_ticket_delivery are not stated"},
		"by the keys of a service":       {good, served, 0, "versions  suite 1.2.3, contract c0ffee"},
		"after one changed byte":         {changed, keys, 1, "it was changed, or signed with another key"},
		"by a key of the same name":      {good, write("strange.json", string(strange)), 1, "it was changed, or signed with another key"},
		"by another key":                 {good, write("unrelated.json", string(unrelated)), 1, "that --key does not contain"},
		"one that someone else signed":   {aCertificate(t, stranger, "k-1", kind, soon), keys, 1, "it was changed, or signed with another key"},
		"one that has expired":           {aCertificate(t, private, "k-1", kind, time.Now().Add(-time.Second)), keys, 1, "it expired at "},
		"one that is not valid yet":      {aCertificate(t, private, "k-1", kind, soon.Add(24*time.Hour)), keys, 1, "it is valid only from "},
		"another statement of the key":   {aCertificate(t, private, "k-1", "jwt", soon), keys, 2, "expected the type conformance-certificate+jwt"},
		"what is not signed at all":      {"{}", keys, 2, "expected a compact JWS"},
		"by a file that has no keys":     {good, write("none.json", "{}"), 2, "is not a JSON Web Key Set"},
		"by a file that is missing":      {good, filepath.Join(dir, "nothing"), 2, "cannot be read: no such file"},
		"by an address that has no keys": {good, missing, 2, "expected 200, received 404"},
	} {
		path := write("certificate-"+strings.ReplaceAll(name, " ", "-"), c.certificate)
		got := start(t, nil, "verify", path, "--key", c.keys).wait(t)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.says) {
			t.Errorf("%s: want exit %d and %q, got exit %d\n%s%s", name, c.code, c.says, got.code, got.stdout, got.stderr)
		}
	}
}
