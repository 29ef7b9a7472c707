package judge

import (
	"fmt"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
)

// The marketplace forwards the other options of a ticket, so they are judged beside a bad one.
func TestABadDeliveryOptionHidesNoOther(t *testing.T) {
	t.Parallel()
	for options, want := range map[string]string{
		`{"deliveryFormat":"PDF_URL","deliveryValue":"https://a.example/1.pdf"}`:                                                  "fine",
		`{"deliveryFormat":"QRCODE","deliveryValue":17},{"deliveryFormat":"PDF_URL","deliveryValue":"https://a.example/1.pdf"}`:   "fine",
		`{"deliveryFormat":"QRCODE","deliveryValue":17},{"deliveryFormat":"PDF_URL","deliveryValue":"1.pdf"}`:                     "deliveryOptions[1]",
		`null,"QRCODE",{"deliveryFormat":"PDF_URL","deliveryValue":"https://:443/1.pdf"}`:                                         "deliveryOptions[2]",
		`{"deliveryFormat":"PDF_URL","deliveryValue":"https://a.example"},{"deliveryFormat":"PDF_URL","deliveryValue":"file:/1"}`: "deliveryOptions[1]",
		`{"deliveryFormat":"PDF_URL","deliveryValue":17}`:                                                                         "nothing to judge", // by the rules of the value
		`{"deliveryFormat":"pdf_url","deliveryValue":"1.pdf"}`:                                                                    "nothing to judge", // by the rule of the format
	} {
		flaw, has := pdfAddresses(&probe.Answer{Raw: fmt.Appendf(nil, `{"tickets":[{"deliveryOptions":[%s]}]}`, options)})
		got := map[bool]string{true: "fine", false: "nothing to judge"}[has]
		if flaw != "" {
			got = flaw
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: expected %q, received %q", options, want, got)
		}
	}
}
