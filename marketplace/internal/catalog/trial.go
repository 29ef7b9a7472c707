package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// Trial is the result of testing a partner's settings with two reads: one product, and the slots of
// that product's first option.
type Trial struct {
	Works        bool
	Products     TrialRead
	Availability *TrialRead // nil: no product to read slots for
}

// TrialRead is the result of one read.
type TrialRead struct {
	Request  string
	Status   *int // nil: no answer
	Duration int64
	Found    int     // usable products or slots
	Error    *string // nil: the read succeeded
	Problems domain.List[Problem]
}

// The names of the requests, for people.
const (
	tryProducts     = "GET " + partnerapi.ProductsPath + "?limit=1"
	tryAvailability = "POST " + partnerapi.AvailabilityPath
)

// Err returns nil if the settings work, otherwise Unprocessable with the answer.
func (t Trial) Err() error {
	if t.Works {
		return nil
	}
	failed := &domain.Error{
		Code: domain.Unprocessable, Reason: domain.ConnectionTestFailed,
		Message: "the partner does not work with these settings; nothing was changed. Correct them, or send force: true to store them anyway",
	}
	for _, read := range []*TrialRead{&t.Products, t.Availability} {
		if read == nil || read.Error == nil {
			continue
		}
		failed.Details = append(failed.Details, read.Request+": "+*read.Error)
		for _, problem := range read.Problems {
			failed.Details = append(failed.Details, fmt.Sprintf("%s: %s: %s", read.Request, problem.Pointer, problem.Message))
		}
	}
	return failed
}

// TrialSource is tested. It is a partner.Client.
type TrialSource interface {
	TryProducts(ctx context.Context, t partner.Target, read func(context.Context, []byte) error) partner.Outcome
	TryAvailability(ctx context.Context, t partner.Target, asked partnerapi.AvailabilityRequest, read func(context.Context, []byte) error) partner.Outcome
}

var (
	errNoProduct = errors.New("no product of the answer can be used")
	errNoSlot    = errors.New("no slot of the answer can be used")
)

// Try reads one product from a partner and the slots of its first option, by the rules of a sync.
// It stores nothing.
func Try(ctx context.Context, source TrialSource, t partner.Target, now func() time.Time) (made Trial) {
	var found *Catalog
	made.Products = toTrialRead(tryProducts, source.TryProducts(ctx, t, func(ctx context.Context, body []byte) (err error) {
		found, err = Read(ctx, body)
		return err
	}))
	if made.Products.Error != nil {
		return made
	}
	found.withoutKey(t.AuthKey)
	made.Products.Found = len(found.Products)
	if len(found.SetAside) > 0 {
		made.Products.Problems = found.SetAside[0].Problems
	}
	option, asked := firstOption(found)
	if !asked {
		if made.Works = len(found.SetAside) == 0; !made.Works {
			made.Products.Error = new(errNoProduct.Error())
		}
		return made
	}
	slots := tryOption(ctx, source, t, option, now)
	made.Availability, made.Works = &slots, slots.Error == nil
	return made
}

func tryOption(ctx context.Context, source TrialSource, t partner.Target, o SlotOption, now func() time.Time) TrialRead {
	zone, err := time.LoadLocation(o.TimeZone)
	if err != nil {
		return TrialRead{Request: tryAvailability, Error: new(err.Error())}
	}
	window := windowAt(now(), zone)
	var found *SlotAnswer
	made := toTrialRead(tryAvailability, source.TryAvailability(ctx, t, window.Request(o), func(ctx context.Context, body []byte) (err error) {
		found, err = ReadSlots(ctx, body, window)
		return err
	}))
	if made.Error != nil {
		return made
	}
	found.withoutKey(t.AuthKey)
	made.Found = len(found.Slots)
	if len(found.SetAside) > 0 {
		made.Problems = found.SetAside[0].Problems
		if made.Found == 0 {
			made.Error = new(errNoSlot.Error())
		}
	}
	return made
}

// toTrialRead returns the result of a read.
func toTrialRead(request string, o partner.Outcome) TrialRead {
	made := TrialRead{Request: request, Duration: o.Took.Milliseconds()}
	if o.Status != 0 {
		made.Status = &o.Status
	}
	if o.Err != nil {
		message := domain.MessageOf(partner.ForOwner(o.Err))
		if o.Message != "" {
			message += ": " + o.Message
		}
		made.Error = new(readableText(message))
	}
	return made
}

// firstOption returns the first option of the first usable product.
func firstOption(c *Catalog) (o SlotOption, found bool) {
	for _, product := range c.Products {
		for _, option := range product.Options {
			var of partnerapi.Product
			o.ProductID = product.ID
			if json.Unmarshal(product.Text, &of) != nil || json.Unmarshal(option.Text, &o.Option) != nil {
				continue
			}
			o.TimeZone = of.TimeZone
			return o, true
		}
	}
	return o, false
}
