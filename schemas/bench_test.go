package schemas_test

import (
	"bytes"
	"fmt"
	"testing"

	"partnerkit.dev/schemas"
)

// catalogSize returns the number of products. With -short a benchmark only shows that it still runs.
func catalogSize() int {
	if testing.Short() {
		return 100
	}
	return 10_000
}

// A catalog of 10,000 products, decoded once and judged product by product.
func BenchmarkValidateCatalog(b *testing.B) {
	catalog := decodeJSON(b, catalogText()).([]any)
	b.ReportAllocs()
	for b.Loop() {
		for _, product := range catalog {
			if problems := schemas.ValidateValue(schemas.Product, product); problems != nil {
				b.Fatal(problems)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(catalogSize()), "µs/product")
}

// The same catalog as one text, decoded and validated together.
func BenchmarkValidateCatalogText(b *testing.B) {
	text := catalogText()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if problems := schemas.Validate(schemas.ProductsAnswer, text); problems != nil {
			b.Fatal(problems)
		}
	}
}

func catalogText() []byte {
	var text bytes.Buffer
	text.WriteByte('[')
	for i := range catalogSize() {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"id": "product-%d", "internalName": "Walk %d", "locale": "en", "timeZone": "Europe/Lisbon", "instantConfirmation": true, "options": [`, i, i)
		for option := range 2 {
			if option > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, `{"id": "option-%d", "internalName": "Option", "availabilityType": "START_TIME", "units": [
				{"id": "unit-adult", "internalName": "Adult", "type": "ADULT", "pricingFrom": [{"original": 2250, "currency": "EUR", "net": 1800}]},
				{"id": "unit-child", "internalName": "Child", "type": "CHILD", "pricingFrom": [{"original": 1100, "currency": "EUR"}], "restrictions": {"minAge": 4, "maxAge": 17}}]}`, option)
		}
		text.WriteString(`]}`)
	}
	text.WriteByte(']')
	return text.Bytes()
}
