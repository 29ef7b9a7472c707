package scenario

import (
	"context"

	"partnerkit.dev/conformance/internal/plan"
)

// optional lists the fields of a reserve and of a confirm that are left out one at a time. Other
// stories cover all fields and none. A contact that the marketplace sends always has a name and an
// email address.
var optional = []struct{ name, field, of string }{
	{"without a reference", "resellerReference", ""},
	{"without a contact", "contact", ""},
	{"without the contact's phone number", "phoneNumber", "contact"},
}

// PartialBooking is a booking whose reserve and confirm lack one optional field.
type PartialBooking struct {
	*UnusualBooking
	Name string
}

func (b *PartialBooking) Instances() []plan.Instance {
	if b.Hold == nil {
		return nil
	}
	return []plan.Instance{{plan.Body: b.Name, plan.Product: b.Offer.Product.ID, plan.Option: b.OptionKey()}}
}

// PartialBodies returns the number of such bookings at the depth of the run.
func PartialBodies(_ context.Context, p *Player) int {
	if p.Depth == plan.Quick {
		return 0
	}
	return len(optional)
}

func PlayPartialBody(ctx context.Context, p *Player, number int) *PartialBooking {
	lacks := optional[number]
	without := func(body []byte) []byte {
		return edited(body, func(fields map[string]any) {
			if inner, ok := fields[lacks.of].(map[string]any); ok {
				fields = inner
			}
			delete(fields, lacks.field)
		})
	}
	return &PartialBooking{p.unusualBooking(ctx, lacks.name, without, false), lacks.name}
}
