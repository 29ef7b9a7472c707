package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas"
)

// Edit is an operator's change of one activity: a JSON merge patch (RFC 7396) with the contract's
// field names. An absent field is unchanged, null clears it, an object is merged, and an array
// replaces the old one.
type Edit struct {
	title, status given[string]
	details       map[string]any
	variations    []variationEdit
}

// variationEdit is a change of one variation.
type variationEdit struct {
	id      uuid.UUID
	title   given[string]
	sort    given[int]
	pricing given[groupPriceEdit]
	details map[string]any
}

// groupPriceEdit is a group price and its currency.
type groupPriceEdit struct {
	Group    given[domain.Number]   `json:"group_price"`
	Currency given[domain.Currency] `json:"currency"`
}

// given is an optional field of a change.
type given[T any] struct {
	set   bool // present, even as null
	value *T   // nil: it is null
}

// UnmarshalJSON is called for null, but not for an absent field.
func (g *given[T]) UnmarshalJSON(text []byte) error {
	g.set = true
	return json.Unmarshal(text, &g.value)
}

// or returns the value, or null's replacement.
func (g given[T]) or(null T) T {
	if g.value == nil {
		return null
	}
	return *g.value
}

// ReadEdit parses a change. The error is Invalid and names every mistake.
func ReadEdit(body []byte) (*Edit, error) {
	if problems := schemas.Validate(schemas.ActivityChangeRequest, body); len(problems) > 0 {
		var mistakes []string
		for _, problem := range problems {
			mistakes = append(mistakes, problem.String())
		}
		return nil, invalidEdit(mistakes...)
	}
	change, err := decodeObject(body)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"partner_details", "translation"} { // free-form, so the schema does not find it
		if hasNUL(change[name]) {
			return nil, invalidEdit(name + ": expected texts without NUL")
		}
	}
	e := &Edit{details: change}
	listed, _ := change["variations"].([]any)
	delete(change, "variations")
	if err := takeFields(change, map[string]any{"activity_title": &e.title, "status": &e.status}); err != nil {
		return nil, err
	}
	for i, one := range listed {
		v := variationEdit{details: one.(map[string]any)} // the schema requires objects
		if err := takeFields(v.details, map[string]any{"_id": &v.id, "title": &v.title, "sort": &v.sort, "pricing": &v.pricing}); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(e.variations, func(other variationEdit) bool { return other.id == v.id }) {
			return nil, invalidEdit(fmt.Sprintf("variations[%d]._id: expected each variation once", i))
		}
		e.variations = append(e.variations, v)
	}
	return e, nil
}

// takeFields moves fields of a change into a map.
func takeFields(change map[string]any, into map[string]any) error {
	for name, place := range into {
		value, found := change[name]
		if !found {
			continue
		}
		delete(change, name)
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, place); err != nil {
			return invalidEdit(name + ": " + tooLong)
		}
	}
	return nil
}

// Apply changes an activity. The error is Invalid and names every variation that is unknown or
// would become too large. The activity may be partly changed then.
func (e *Edit) Apply(a *domain.Activity) error {
	if e.title.set {
		a.Title = e.title.or(a.Product.InternalName)
	}
	if e.status.set {
		a.OperatorActive = e.status.or("Active") == "Active"
	}
	if err := mergeInto(&a.Details, e.details, "the activity"); err != nil {
		return err
	}
	own, wrong := a.Currency(), []string{}
	for i, change := range e.variations {
		place := fmt.Sprintf("variations[%d]", i)
		at := slices.IndexFunc(a.Variations, func(v domain.Variation) bool { return v.ID == change.id })
		if at < 0 {
			wrong = append(wrong, place+"._id: unknown variation of this activity")
			continue
		}
		err := change.apply(&a.Variations[at], own, place)
		if refused := (*domain.Error)(nil); errors.As(err, &refused) {
			wrong = append(wrong, refused.Details...)
		} else if err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		return invalidEdit(wrong...)
	}
	slices.SortStableFunc(a.Variations, func(a, b domain.Variation) int { return a.Sort - b.Sort })
	return nil
}

func (c variationEdit) apply(v *domain.Variation, own domain.Currency, place string) error {
	if c.title.set {
		v.Title = c.title.or(v.Option.InternalName)
	}
	if c.sort.set {
		v.Sort = c.sort.or(0)
	}
	if err := mergeInto(&v.Details, c.details, place); err != nil {
		return err
	}
	if c.pricing.set {
		return c.pricing.or(groupPriceEdit{Group: given[domain.Number]{set: true}}).apply(&v.Details, own, place)
	}
	return nil
}

// mostDecimals limits the decimals of a group price. The schema allows further trailing zeros.
const mostDecimals = 4

func (p groupPriceEdit) apply(d *domain.VariationDetails, own domain.Currency, place string) error {
	if p.Group.set && p.Group.value == nil {
		d.GroupPrice = nil
		return nil
	}
	price := domain.GroupPrice{Currency: own}
	if d.GroupPrice != nil {
		price = *d.GroupPrice
	}
	switch {
	case p.Group.set:
		price.Amount = p.Group.value.Truncate(mostDecimals)
	case d.GroupPrice == nil && p.Currency.set:
		return invalidEdit(place + ".pricing.currency: requires a group price")
	case d.GroupPrice == nil:
		return nil
	}
	if p.Currency.set {
		price.Currency = p.Currency.or(own)
	}
	d.GroupPrice = &price
	return nil
}

// largestEdit limits operators' fields of one activity or variation, in bytes.
const largestEdit = 256 << 10

const tooLong = "expected numbers of at most 40 digits, and whole ones without a point"

func invalidEdit(mistakes ...string) *domain.Error {
	return &domain.Error{Code: domain.Invalid, Message: "invalid change", Details: mistakes}
}

// mergeInto merges a change into details.
func mergeInto[T any](details *T, change map[string]any, place string) error {
	if len(change) == 0 {
		return nil
	}
	before, err := json.Marshal(details)
	if err != nil {
		return err
	}
	fields, err := decodeObject(before)
	if err != nil {
		return err
	}
	merged, err := json.Marshal(mergePatch(fields, change))
	if err != nil {
		return err
	}
	if len(merged) > largestEdit {
		return invalidEdit(fmt.Sprintf("%s: expected at most %d bytes in all, received %d", place, largestEdit, len(merged)))
	}
	var after T
	if err := json.Unmarshal(merged, &after); err != nil {
		return invalidEdit(place + ": " + tooLong)
	}
	*details = after
	return nil
}

// mergePatch applies a merge patch (RFC 7396).
func mergePatch(target any, change map[string]any) map[string]any {
	fields, ok := target.(map[string]any)
	if !ok {
		fields = map[string]any{}
	}
	for name, value := range change {
		switch value := value.(type) {
		case nil:
			delete(fields, name)
		case map[string]any:
			fields[name] = mergePatch(fields[name], value)
		default:
			fields[name] = value
		}
	}
	return fields
}

// decodeObject parses an object and keeps numbers as written.
func decodeObject(text []byte) (fields map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return fields, decoder.Decode(&fields)
}

// hasNUL reports whether a name or text contains NUL, which PostgreSQL cannot store.
func hasNUL(value any) bool {
	switch value := value.(type) {
	case string:
		return strings.ContainsRune(value, 0)
	case []any:
		for _, one := range value {
			if hasNUL(one) {
				return true
			}
		}
	case map[string]any:
		for name, one := range value {
			if hasNUL(name) || hasNUL(one) {
				return true
			}
		}
	}
	return false
}
