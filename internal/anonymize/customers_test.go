package anonymize

import (
	"fmt"
	"strings"
	"testing"

	"partnerkit.dev/internal/redact"
	"partnerkit.dev/schemas/partnerapi"
)

// A part of a name that is masked first must not leave the rest of the name.
func TestANameIsMaskedAsAWhole(t *testing.T) {
	t.Parallel()
	const request = `{"contact": {"firstName": "Ana", "fullName": "Ana Lux"}}`
	for range 100 { // fields are read in random order
		_, answer := NewMasker().Mask(partnerapi.Confirm, "", []byte(request), []byte(`{"message": "sold to Ana Lux"}`))
		if strings.Contains(string(answer), "Lux") {
			t.Fatalf("Expected nothing of the name, received %s", answer)
		}
	}
}

// BenchmarkMasked shows that masking an answer takes time in proportion to its length, whatever number
// of names it has: x-per-name compares 4,000 names with 400.
func BenchmarkMasked(b *testing.B) {
	answer := func(names int) []byte {
		var guests strings.Builder
		for i := range names {
			fmt.Fprintf(&guests, `{"fullName":"Guest %06d","seat":"row %06d"},`, i, i)
		}
		return []byte(`{"guests":[` + guests.String() + `{}]}`)
	}
	took := map[int]float64{}
	for _, names := range []int{400, 4_000} {
		body := answer(names)
		b.Run(fmt.Sprintf("%d-names", names), func(b *testing.B) {
			for b.Loop() {
				NewMasker().Mask(partnerapi.Confirm, "", nil, body)
			}
			took[names] = b.Elapsed().Seconds() / float64(b.N) / float64(names)
			if names == 4_000 {
				b.ReportMetric(took[4_000]/took[400], "x-per-name")
			}
		})
	}
}

func TestAnAddressOfAnotherCustomerIsMaskedAsSuch(t *testing.T) {
	t.Parallel()
	const request = `{"contact":{"emailAddress":"ana@example.com"}}`
	for sent, want := range map[string]string{"ana@example.com": redact.Mark, "ANA@example.com": redact.Mark, "ben@example.com": redact.Mark + " of another"} {
		_, answer := NewMasker().Remove(partnerapi.Confirm, "", []byte(request), []byte(`{"contact":{"emailAddress":"`+sent+`"}}`))
		if expected := `{"contact":{"emailAddress":"` + want + `"}}`; string(answer) != expected {
			t.Errorf("%s: expected %s, received %s", sent, expected, answer)
		}
	}
}
