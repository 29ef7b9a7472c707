package mockpartner

import (
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/script"
)

// Defect is a named breach of one rule of the contract.
type Defect struct {
	Name    string
	Rule    string // the id of the one rule that it breaks
	Mistake string // the real mistake that it stands for
	Looks   string // what it looks like from outside
	// Dimension is what distinguishes the faulty instance of a deep defect from the correct ones.
	Dimension string
	Webhooks  bool // it is about webhooks
}

// Variant is a named, unusual behaviour that the contract allows.
type Variant struct {
	Name     string
	Clause   string // the clause of the contract that allows it
	Looks    string // what it looks like from outside
	Scarce   bool   // it offers too little for every rule to be judged
	Webhooks bool   // it is about webhooks
}

func defectOf(p defects.Partner) Defect {
	return Defect{Name: p.Name, Rule: p.Rule, Mistake: p.Mistake, Looks: p.Looks, Dimension: p.Dimension, Webhooks: p.AboutWebhooks()}
}

func variantOf(p defects.Partner) Variant {
	return Variant{Name: p.Name, Clause: p.Clause, Looks: p.Looks, Scarce: p.Scarce, Webhooks: p.AboutWebhooks()}
}

func convert[T any](all []defects.Partner, one func(defects.Partner) T) []T {
	list := make([]T, len(all))
	for i, p := range all {
		list[i] = one(p)
	}
	return list
}

// FindDefect and FindVariant return these errors for unknown names.
var (
	ErrNoDefect  = defects.ErrNoDefect
	ErrNoVariant = defects.ErrNoVariant
)

// Defects lists all defects except the deep ones, by name.
func Defects() []Defect { return convert(defects.Defects.All(), defectOf) }

// DeepDefects lists the defects that break a rule only in one instance, such as for one product or
// at the third repeat. They are ordered by what the instances differ in.
func DeepDefects() []Defect { return convert(defects.Deep.All(), defectOf) }

// Variants lists all variants, by name.
func Variants() []Variant { return convert(defects.Variants.All(), variantOf) }

// FindDefect returns the defect with that name. Its error wraps ErrNoDefect.
func FindDefect(name string) (Defect, error) {
	found, err := defects.FindDefect(name)
	if err != nil {
		return Defect{}, err
	}
	return defectOf(found), nil
}

// FindVariant returns the variant with that name. Its error wraps ErrNoVariant.
func FindVariant(name string) (Variant, error) {
	found, err := defects.Variants.Find(name)
	if err != nil {
		return Variant{}, err
	}
	return variantOf(found), nil
}

// Scenario is the content of a scenario file: what a mock sells, and how it misbehaves. Make one
// with ParseScenario or LoadScenario.
type Scenario struct{ *script.Scenario }

// ParseScenario parses a scenario from the text of a file. Its error begins with the file's name
// and the location in it.
func ParseScenario(file string, text []byte) (*Scenario, error) {
	return wrap(script.Parse(file, text))
}

// LoadScenario reads a scenario file.
func LoadScenario(path string) (*Scenario, error) { return wrap(script.Load(path)) }

func wrap(s *script.Scenario, err error) (*Scenario, error) {
	if err != nil {
		return nil, err
	}
	return &Scenario{s}, nil
}
