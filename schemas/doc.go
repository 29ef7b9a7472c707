// Package schemas contains the partner contract as JSON Schemas and validates JSON against them,
// with messages that a partner engineer understands.
//
// Every body that partner and marketplace exchange has a schema, draft 2020-12, in a file of its
// own. A schema's name is its path without ".schema.json":
//
//	problems := schemas.Validate(schemas.ProductsAnswer, body)
//	for _, p := range problems {
//		fmt.Println(p)
//		// products[2].options[0].units[1].pricingFrom[0].original: expected an integer in the smallest currency unit, from 0 to 10^12, received 22.5
//	}
//
// The schemas cover what one body shows by itself. Rules that need two bodies, a clock or a
// complete catalog (unique ids, windows, vacancies) are in docs/contract.md. The descriptions cite
// its clause ids (such as PRD-9). The schemas are as lenient as the contract: unknown fields are
// lawful, and an optional field may be null.
//
// Formats are validated, not only annotated: date-time as partnerapi.ParseDateTime reads it, and
// bcp47, iana-time-zone and iso4217 against the lists of the standards.
//
// Everything here is safe for concurrent use. Nothing is fetched from the network.
package schemas
