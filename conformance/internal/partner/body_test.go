package partner_test

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func TestEveryBodyKeepsTheContract(t *testing.T) {
	t.Parallel()
	usual := probe.Call{Body: partner.Encode(partnerapi.ReserveRequest{
		ProductID: "walk", OptionID: "morning", AvailabilityID: "s-1", ResellerReference: "r-1",
		Units: []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 1}}, Contact: &partner.Contact,
	})}
	for _, body := range partner.Bodies() {
		if problems := schemas.Validate(schemas.ReserveRequest, body.Of(usual).Body); len(problems) > 0 {
			t.Errorf("%s: Expected it to keep the schema, received %v", body, problems)
		}
	}
	for body, says := range map[partner.Body]string{partner.ForeignGuest: "東京", partner.UnnamedFields: "notInTheContract"} {
		if text := string(body.Of(usual).Body); !strings.Contains(text, says) {
			t.Errorf("%s: Expected %q in the body, received %s", body, says, text)
		}
	}
	for body, lacks := range map[partner.Body]string{partner.NoReference: "resellerReference", partner.NoContact: "contact", partner.NoPhone: "phoneNumber"} {
		if text := string(body.Of(usual).Body); strings.Contains(text, lacks) {
			t.Errorf("%s: Expected no %s in the body, received %s", body, lacks, text)
		}
	}
}
