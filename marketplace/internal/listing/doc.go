// Package listing shows activities as resellers read them: every field of the contract,
// in a language and a currency, with prices on the marketplace's terms. It is pure.
package listing
