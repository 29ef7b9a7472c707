package offer

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"partnerkit.dev/internal/suggest"
	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/schemas/partnerapi"
)

// Units says as which guest type of the contract a unit of the supplier is sold. The zero value maps
// the five types that both have, and TRAVELLER, which OCTO has in place of all of them, to ADULT.
type Units struct {
	byType map[string]partnerapi.UnitType
	byID   map[string]partnerapi.UnitType
}

// notSold is the guest type of units that are not sold.
const notSold partnerapi.UnitType = "NONE"

// LoadUnits reads the file that maps units. Its error begins with the file and the line. Such a file:
//
//	types:               # by OCTO's type, in any product
//	  YOUTH: CHILD
//	  FAMILY: NONE       # not sold, and not mentioned either
//	units:               # by the id of the unit, which takes precedence
//	  adult_resident: STUDENT
func LoadUnits(path string) (Units, error) {
	units := Units{byType: map[string]partnerapi.UnitType{}, byID: map[string]partnerapi.UnitType{}}
	file, err := yamlfile.Open(path)
	if err != nil {
		return units, err
	}
	sections := map[string]map[string]partnerapi.UnitType{"types": units.byType, "units": units.byID}
	err = eachEntry(file, file.Root, func(name string, key, value ast.Node) error {
		section, ok := sections[name]
		if !ok {
			return file.ErrorAt(key, "expected types or units, received %q", name)
		}
		return eachEntry(file, value, func(of string, _, value ast.Node) error {
			kind, err := readType(file, value)
			section[of] = kind
			return err
		})
	})
	return units, err
}

func readType(file *yamlfile.File, value ast.Node) (partnerapi.UnitType, error) {
	allowed, names := append(partnerapi.UnitTypes(), notSold), []string{}
	for _, kind := range allowed {
		names = append(names, string(kind))
	}
	text, ok := value.(*ast.StringNode)
	if !ok {
		return "", file.ErrorAt(value, "expected one of %v", allowed)
	}
	if !slices.Contains(names, text.Value) {
		return "", file.ErrorAt(value, "expected one of %v%s", allowed, suggest.Hint(text.Value, names))
	}
	return partnerapi.UnitType(text.Value), nil
}

// eachEntry calls visit with every entry of a mapping.
func eachEntry(file *yamlfile.File, node ast.Node, visit func(name string, key, value ast.Node) error) error {
	if node == nil {
		return nil
	}
	mapping, ok := node.(*ast.MappingNode)
	if !ok {
		return file.ErrorAt(node, "expected names with values, as in YOUTH: CHILD")
	}
	for _, entry := range mapping.Values {
		name := entry.Key.String()
		if text, ok := entry.Key.(*ast.StringNode); ok {
			name = text.Value
		}
		if err := visit(name, entry.Key, entry.Value); err != nil {
			return err
		}
	}
	return nil
}

// typeOf returns the guest type as which a unit is sold, and reports whether it is known.
func (u Units) typeOf(id, octoType string) (partnerapi.UnitType, bool) {
	if mapped, ok := u.byID[id]; ok {
		return mapped, true
	}
	if mapped, ok := u.byType[octoType]; ok {
		return mapped, true
	}
	if octoType == "TRAVELLER" {
		return partnerapi.Adult, true
	}
	same := partnerapi.UnitType(octoType)
	return same, slices.Contains(partnerapi.UnitTypes(), same)
}
