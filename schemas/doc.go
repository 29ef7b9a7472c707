// Package schemas holds the partner contract as JSON Schemas and judges JSON by
// them, in words that a partner engineer understands.
//
// Every body that partner and marketplace exchange has a schema, draft 2020-12,
// one file a resource; a schema's name is its path without ".schema.json":
//
//	problems := schemas.Validate(schemas.ProductsAnswer, body)
//	for _, p := range problems {
//		fmt.Println(p)
//		// products[2].options[0].units[1].pricingFrom[0].original: expected an integer in the smallest currency unit, from 0 to 10^12, received 22.5
//	}
//
// The schemas say what one body shows by itself. What needs two bodies, a clock
// or a whole catalog (unique ids, windows, vacancies) is said in docs/contract.md,
// whose clause ids (such as PRD-9) the descriptions cite. They are as lenient as
// the contract: unknown fields are lawful, an optional field may be null.
//
// Formats are judged, not merely noted: date-time as partnerapi.ParseDateTime
// reads it, bcp47, iana-time-zone and iso4217 against the lists of the standards.
//
// Everything here is safe for concurrent use; nothing is ever fetched.
package schemas
