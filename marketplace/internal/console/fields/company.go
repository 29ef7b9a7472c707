package fields

import (
	"maps"
	"slices"
	"strings"
)

// companyPath is the path of the partner's company, without a field's name.
const companyPath = "partner_details.companyDetails."

// companyLabels are the fields of a partner's company that the form offers. The API allows any others.
var companyLabels = []Field{
	{Path: "legalName", Label: "Legal name"},
	{Path: "registrationNumber", Label: "Registration number"},
	{Path: "vatNumber", Label: "VAT number"},
	{Path: "address", Label: "Address"},
	{Path: "email", Label: "Email"},
	{Path: "phone", Label: "Phone"},
	{Path: "website", Label: "Website"},
}

// Company returns the group of the partner's company: the fields that the form offers, and the other
// texts that an activity has.
func Company(activity Object) Group {
	g := Group{Title: "Partner's company"}
	stored, _ := activity.ValueAt(strings.TrimSuffix(companyPath, ".")).(map[string]any)
	var others []string
	offer := func(name, label string) {
		if value, has := stored[name]; has {
			if _, text := value.(string); !text || name == "" || strings.ContainsAny(name, ". \t\r\n") {
				others = append(others, name)
				return
			}
		}
		g.Fields = append(g.Fields, Field{Path: companyPath + name, Label: label, Kind: "text"})
	}
	for _, f := range companyLabels {
		offer(f.Path, f.Label)
	}
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		if !slices.ContainsFunc(companyLabels, func(f Field) bool { return f.Path == name }) {
			offer(name, name)
		}
	}
	g.Others = strings.Join(others, ", ")
	return g
}
