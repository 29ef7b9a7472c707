package main

import (
	"crypto/ed25519"
	"encoding/json"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

func TestACertificateIsRefusedAfterAnyByteWasChangedOrAdded(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	by := authority{keys: keySet{jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: "k", Algorithm: "EdDSA", Use: "sig"}}}, "--key"}}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, (&jose.SignerOptions{}).WithType(certificateType).WithHeader("kid", "k"))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	// The names' lengths leave unused bits in the last characters of the header and the content.
	for _, name := range []string{"Boat", "Boats", "Boats!"} {
		text, err := json.Marshal(statement{Name: name, Verdict: "conformant", IssuedAt: now.Unix(), ExpiresAt: now.Add(time.Hour).Unix()})
		if err != nil {
			t.Fatal(err)
		}
		signed, err := signer.Sign(text)
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := signed.CompactSerialize()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := by.read(certificate, now); err != nil {
			t.Fatalf("Expected the certificate as issued to be valid, received %v", err)
		}
		for at := 1; at < len(certificate); at++ { // the command trims a file
			for _, between := range []string{"\n", "\r\n", " ", "=", "\x00"} {
				if _, err := by.read(certificate[:at]+between+certificate[at:], now); err == nil {
					t.Errorf("%q before byte %d: Expected a refusal, received none", between, at)
				}
			}
		}
		for at := range certificate {
			for change := range 255 {
				last := at+1 == len(certificate) || certificate[at+1] == '.'
				if change++; !last && change&(change-1) != 0 {
					continue // elsewhere than at the end of a part, one bit is changed
				}
				changed := []byte(certificate)
				changed[at] ^= byte(change)
				if _, err := by.read(string(changed), now); err == nil {
					t.Errorf("byte %d changed from %q to %q: Expected a refusal, received none", at, certificate[at], changed[at])
				}
			}
		}
	}
}
