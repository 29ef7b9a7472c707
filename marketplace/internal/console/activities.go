package console

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/console/fields"
)

func listActivities(x *exchange) error {
	query := x.queryValues("q", "status", "mode", "integration")
	f := newForm(query,
		field{Name: "q", Label: "Title or product id", Kind: "search"},
		anyOf("status", "Status", "all", "Active", "Inactive"),
		anyOf("mode", "Mode", "all", "live", "test"),
		field{Name: "integration", Label: "Integration's id"},
	)
	return search[client.OperatorActivity](x, "Activities", "activities", f, query, query)
}

// editPage edits an activity or one of its variations.
type editPage struct {
	frame
	client.OperatorActivity
	Variation    *client.OperatorVariation // nil: the page edits the activity
	Groups       []fields.Group
	Translations []fields.Group // of an activity, by language
	Languages    *form          // adds a translation; nil for a variation
	Added        string         // the language that was just added; "": none
	Form         *form
	Action       string
	Walk         walk
	Prices       *pricePreview
}

// Address returns the form's address. It keeps the place in the list and the language that was just added.
func (p *editPage) Address() string {
	query := p.Walk.values()
	if p.Added != "" {
		query.Set("language", p.Added)
	}
	if len(query) == 0 {
		return p.Action
	}
	return p.Action + "?" + query.Encode()
}

// Opens reports whether the form shows a translation open: it was just added, or has an error.
func (p *editPage) Opens(g fields.Group) bool {
	return g.Language == p.Added || slices.ContainsFunc(g.Fields, func(f fields.Field) bool { return p.Form.Field(f.Path).Error != "" })
}

// readEdited reads an activity, decoded and as raw JSON.
func readEdited(x *exchange) (known client.OperatorActivity, raw fields.Object, err error) {
	text, _, err := read[json.RawMessage](x, "/operator/activities/"+x.id(), nil)
	if err != nil {
		return known, nil, err
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return known, nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&raw)
	raw["status"] = string(known.OperatorStatus) // the operators' own status
	return known, raw, err
}

// activityEdit returns the page that edits an activity.
func activityEdit(x *exchange, given url.Values) (*editPage, error) {
	read, raw, err := readEdited(x)
	if err != nil {
		return nil, err
	}
	var variants []fields.Variant
	for _, v := range read.Variations {
		variants = append(variants, fields.Variant{ID: v.ID, Title: v.Title})
	}
	asked := x.r.URL.Query().Get("language")
	added, known := fields.ParseLanguage(asked)
	translations := fields.Translations(raw, variants, added)
	groups := append(slices.Clone(fields.Activity), fields.Company(raw))
	prices, err := x.pricePreview(given)
	if err != nil {
		return nil, err
	}
	p := &editPage{
		frame: frame{Page: read.Title, Section: "activities"}, OperatorActivity: read, Prices: prices, Groups: groups, Translations: translations, Added: added,
		Form: editForm(slices.Concat(groups, translations), raw, given), Action: root + "/activities/" + read.ID,
	}
	p.Languages = newForm(url.Values{"language": {""}}, field{Name: "language", Label: "Language", Kind: "search", Hint: "Its code, such as pt or pt-BR."})
	if asked != "" && !known {
		p.Languages = newForm(url.Values{"language": {asked}}, p.Languages.Fields...)
		p.Languages.Fields[0].Error = "Expected a language's code, such as pt or pt-BR."
	}
	return p, nil
}

// variationEdit returns the page that edits the variation in the path.
func variationEdit(x *exchange, given url.Values) (*editPage, error) {
	read, raw, err := readEdited(x)
	if err != nil {
		return nil, err
	}
	list, _ := raw["variations"].([]any)
	for i, one := range read.Variations {
		if one.ID != mux.Vars(x.r)["variation"] || i >= len(list) {
			continue
		}
		own, _ := list[i].(map[string]any)
		prices, err := x.pricePreview(given)
		if err != nil {
			return nil, err
		}
		return &editPage{
			frame: frame{Page: one.Title, Section: "activities"}, OperatorActivity: read, Variation: &one, Prices: prices, Groups: fields.Variation,
			Form: editForm(fields.Variation, own, given), Action: root + "/activities/" + read.ID + "/variations/" + one.ID,
		}, nil
	}
	return nil, &refusal{Status: http.StatusNotFound, Message: "variation not found"}
}

func showActivity(x *exchange) error { return edit(activityEdit).show(x) }

func showVariation(x *exchange) error { return edit(variationEdit).show(x) }

// edit returns the page that edits something, with what was given after a refusal.
type edit func(x *exchange, given url.Values) (*editPage, error)

// show shows the page, or its part with what customers would pay.
func (page edit) show(x *exchange) error {
	if query := x.r.URL.Query(); query.Get("part") == pricesPart {
		prices, err := x.pricePreview(query)
		if err != nil {
			return err
		}
		return x.show(http.StatusOK, "prices", &editPage{Prices: prices})
	}
	p, err := page(x, nil)
	if err != nil {
		return err
	}
	return p.show(x, http.StatusOK)
}

// show shows the page at its place in the list of activities.
func (p *editPage) show(x *exchange, status int) (err error) {
	if p.Walk, err = x.walk("activities", p.ID, func(list url.Values) (url.Values, error) { return list, nil }); err != nil {
		return err
	}
	return x.show(status, "edit.html", p)
}

func changeActivity(x *exchange) error {
	return edit(activityEdit).change(x, append(slices.Clone(fields.Activity), fields.SentFields(x.given)), "", func(patch fields.Object) any { return patch })
}

func changeVariation(x *exchange) error {
	return edit(variationEdit).change(x, fields.Variation, "variations[0].", func(patch fields.Object) any {
		patch["_id"] = mux.Vars(x.r)["variation"]
		return map[string]any{"variations": []any{patch}}
	})
}

// change sends a form's changes unless it is a preview of prices, and shows the page again with a note or with the errors at its
// fields. The API's names of these fields start with the prefix.
func (page edit) change(x *exchange, groups []fields.Group, prefix string, body func(fields.Object) any) error {
	given := x.given
	if given.Get("part") == pricesPart {
		return page.preview(x)
	}
	patch, wrong := fields.Change(groups, given)
	changes := len(patch)
	problem := &refusal{Status: http.StatusUnprocessableEntity, Details: wrong}
	if len(wrong) == 0 {
		if changes == 0 {
			return x.done(x.r.URL.Path+x.place("activities").Query(), "Nothing changed.")
		}
		_, err := send[struct{}](x, http.MethodPatch, "/operator/activities/"+x.id(), body(patch))
		if err == nil {
			return x.done(x.r.URL.Path+x.place("activities").Query(), "Changed: "+plural.Count(fieldsOf(patch), "field")+". Resellers see the change now.")
		}
		if problem = asRefusal(err); problem == nil || problem.Status != http.StatusBadRequest {
			return err
		}
	}
	p, err := page(x, given)
	if err != nil {
		return err
	}
	for i, detail := range problem.Details {
		problem.Details[i] = strings.TrimPrefix(detail, prefix)
	}
	p.Form.refuse(problem)
	return p.show(x, http.StatusUnprocessableEntity)
}

// fieldsOf counts the fields of a change.
func fieldsOf(patch fields.Object) int {
	fields := 0
	for name, value := range patch {
		inner, ok := value.(map[string]any)
		switch {
		case name == "_id":
		case ok:
			fields += fieldsOf(inner)
		default:
			fields++
		}
	}
	return fields
}

// editForm returns the form for an object, with the given texts after a refusal.
func editForm(groups []fields.Group, of fields.Object, given url.Values) *form {
	var list []field
	for _, g := range groups {
		for _, k := range g.Fields {
			f := field{Name: k.Path, Label: k.Label, Hint: k.Hint, Rows: k.Rows}
			if k.Kind != "remove" {
				f.Value = k.Text(of.Given(k))
			}
			switch k.Kind {
			case "area", "list", "pictures", "pairs":
				f.Kind = "area"
			case "flag", "remove":
				f.Kind = "checkbox"
			case "choice":
				f.Kind, f.Choices = "choice", []choice{{"Active", "Active"}, {"Inactive", "Inactive"}}
			}
			list = append(list, f)
		}
	}
	return newForm(given, list...)
}
