package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"partnerkit.dev/marketplace/client"
)

type activitiesPage struct {
	frame
	List     []client.OperatorActivity
	Pager    pager
	Form     *form
	Filtered bool
}

func listActivities(v *visit) error {
	query := v.asked("q", "status", "integration")
	f := newForm(query,
		field{Name: "q", Label: "Title, or the partner's product id", Kind: "search"},
		anyOf("status", "Status", "all", "Active", "Inactive"),
		field{Name: "integration", Label: "Integration", Kind: "search", Hint: "Its id."},
	)
	p := &activitiesPage{frame: frame{Page: "Activities", Section: "activities"}, Form: f, Filtered: len(query) > 0}
	list, part, err := get[[]client.OperatorActivity](v, "/operator/activities", query)
	if said := refused(err); said != nil && said.Status == http.StatusBadRequest {
		f.refuse(said)
		return v.show(http.StatusUnprocessableEntity, "activities.html", p)
	}
	if err != nil {
		return err
	}
	p.List, p.Pager = list, newPager(part, Path+"/activities", query)
	return v.show(http.StatusOK, "activities.html", p)
}

// editPage edits an activity, or one of its variations.
type editPage struct {
	frame
	client.OperatorActivity
	Variation *client.OperatorVariation // nil: it is about the activity
	Groups    []group
	Form      *form
	Action    string
}

// edited reads an activity: as the client knows it, and as it is written.
func (v *visit) edited() (read client.OperatorActivity, raw object, err error) {
	text, _, err := get[json.RawMessage](v, "/operator/activities/"+v.id(), nil)
	if err != nil {
		return read, nil, err
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return read, nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	err = decoder.Decode(&raw)
	raw["status"] = string(read.OperatorStatus) // what operators set by that name
	return read, raw, err
}

// activityEdit is the page that edits an activity.
func (v *visit) activityEdit(given url.Values) (*editPage, error) {
	read, raw, err := v.edited()
	if err != nil {
		return nil, err
	}
	return &editPage{
		frame: frame{Page: read.Title, Section: "activities"}, OperatorActivity: read, Groups: activityKnobs,
		Form: knobForm(activityKnobs, raw, given), Action: Path + "/activities/" + read.ID,
	}, nil
}

// variationEdit is the page that edits the variation of the path.
func (v *visit) variationEdit(given url.Values) (*editPage, error) {
	read, raw, err := v.edited()
	if err != nil {
		return nil, err
	}
	list, _ := raw["variations"].([]any)
	for i, one := range read.Variations {
		if one.ID != v.r.PathValue("variation") || i >= len(list) {
			continue
		}
		own, _ := list[i].(map[string]any)
		return &editPage{
			frame: frame{Page: one.Title, Section: "activities"}, OperatorActivity: read, Variation: &one, Groups: variationKnobs,
			Form: knobForm(variationKnobs, own, given), Action: Path + "/activities/" + read.ID + "/variations/" + one.ID,
		}, nil
	}
	return nil, &refusal{Status: http.StatusNotFound, Message: "variation not found"}
}

func showActivity(v *visit) error { return v.showEdit(v.activityEdit) }

func showVariation(v *visit) error { return v.showEdit(v.variationEdit) }

func (v *visit) showEdit(page func(url.Values) (*editPage, error)) error {
	p, err := page(nil)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "edit.html", p)
}

func changeActivity(v *visit) error {
	return v.changeEdit(v.activityEdit, activityKnobs, "", func(patch object) any { return patch })
}

func changeVariation(v *visit) error {
	return v.changeEdit(v.variationEdit, variationKnobs, "variations[0].", func(patch object) any {
		patch["_id"] = v.r.PathValue("variation")
		return map[string]any{"variations": []any{patch}}
	})
}

// changeEdit sends what was changed of a form, and shows the page again: with what was
// done, or with what is wrong at its fields, whose names the API begins with the prefix.
func (v *visit) changeEdit(page func(url.Values) (*editPage, error), knobs []group, prefix string, body func(object) any) error {
	given, err := v.form()
	if err != nil {
		return err
	}
	patch, wrong := change(knobs, given)
	changes := len(patch)
	said := &refusal{Status: http.StatusUnprocessableEntity, Details: wrong}
	if len(wrong) == 0 {
		if changes == 0 {
			return v.done(v.r.URL.Path, "Nothing was different, and nothing was changed.")
		}
		_, err := send[struct{}](v, http.MethodPatch, "/operator/activities/"+v.id(), body(patch))
		if err == nil {
			return v.done(v.r.URL.Path, "Changed: "+plural(strconv.Itoa(count(patch)), "field", "fields")+". Resellers read it so from now on.")
		}
		if said = refused(err); said == nil || said.Status != http.StatusBadRequest {
			return err
		}
	}
	p, err := page(given)
	if err != nil {
		return err
	}
	for i, detail := range said.Details {
		said.Details[i] = strings.TrimPrefix(detail, prefix)
	}
	p.Form.refuse(said)
	return v.show(http.StatusUnprocessableEntity, "edit.html", p)
}

// count counts the fields of a change.
func count(patch object) int {
	fields := 0
	for name, value := range patch {
		inner, ok := value.(map[string]any)
		switch {
		case name == "_id":
		case ok && name != "translation" && name != "companyDetails":
			fields += count(inner)
		default:
			fields++
		}
	}
	return fields
}
