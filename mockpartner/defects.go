package mockpartner

import "partnerkit.dev/mockpartner/internal/defects"

type (
	// Defect is a named breach of one rule of the contract.
	Defect = defects.Defect
	// Variant is a named partner that is unlike most and keeps the contract.
	Variant = defects.Variant
)

// What FindDefect and FindVariant say of a name that they do not know.
var (
	ErrNoDefect  = defects.ErrNoDefect
	ErrNoVariant = defects.ErrNoVariant
)

// Defects lists all defects, by name.
func Defects() []Defect { return defects.Defects() }

// Variants lists all variants, by name.
func Variants() []Variant { return defects.Variants() }

// FindDefect returns the defect of that name. Its error wraps ErrNoDefect.
func FindDefect(name string) (Defect, error) { return defects.FindDefect(name) }

// FindVariant returns the variant of that name. Its error wraps ErrNoVariant.
func FindVariant(name string) (Variant, error) { return defects.FindVariant(name) }
