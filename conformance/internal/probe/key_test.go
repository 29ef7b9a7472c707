package probe_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

func TestNearKeysAreNeverTheRegisteredOneAndLeaveNothingOfItInTheEvidence(t *testing.T) {
	t.Parallel()
	for _, auth := range []partnerapi.AuthType{partnerapi.Bearer, partnerapi.APIKey} {
		right := auth.Authorization(goodKey)
		var sent string
		address := serve(t, func(w http.ResponseWriter, r *http.Request) {
			sent = r.Header.Get("Authorization")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, "no customer has "+sent+" or "+r.Header.Get("X-Api-Key"))
		})
		client := newClient(t, address, auth)
		seen := map[string]bool{}
		for _, key := range client.NearKeys() {
			call := get()
			call.Key = key
			answer := client.Do(t.Context(), call)
			if sent == right {
				t.Errorf("%s, %s: want another header than the registered key's", auth, key)
			}
			if seen[sent] && !key.IsMissing() && key != probe.EmptyKey {
				t.Errorf("%s, %s: %q was sent before", auth, key, sent)
			}
			seen[sent] = true
			evidence := strings.Join([]string{answer.Response.Body.Text, answer.Request.Header.Get("Authorization"), answer.Request.Header.Get("X-Api-Key"), answer.Curl}, "|")
			for i := range len(goodKey) - 5 {
				if part := goodKey[i : i+6]; strings.Contains(strings.ToLower(evidence), strings.ToLower(part)) {
					t.Errorf("%s, %s: want nothing of the key in the evidence, got %q in %s", auth, key, part, evidence)
					break
				}
			}
		}
		if len(seen) < 10 {
			t.Errorf("%s: want at least 10 near keys, got %d", auth, len(seen))
		}
	}
}

func TestAKeyWithoutLettersHasNoVariantWithSwappedCase(t *testing.T) {
	t.Parallel()
	client := probe.NewClient(probe.Config{AuthKey: "1234-5678"})
	for _, key := range client.NearKeys() {
		if key == probe.OtherCase {
			t.Error("want none: it would be the key itself")
		}
	}
}
