package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// field is a field of a form.
type field struct {
	Name     string // the API's name, such as location.city
	Label    string
	Kind     string // the input's type; area, secret area and choice are special
	Hint     string
	Value    string
	Was      string // the value as shown; kept by forms that send only changes
	Choices  []choice
	Required bool
	Complete string // for password managers
	Rows     int
	Error    string
	of       string // distinguishes fields of a second form on the page
}

// choice is an option of a field.
type choice struct{ Value, Label string }

// ID returns the field's id on the page.
func (f field) ID() string {
	return "f-" + f.of + strings.NewReplacer(".", "-", "[", "-", "]", "").Replace(f.Name)
}

// form is a form with its values and errors.
type form struct {
	Fields []field
	Errors []string // errors that belong to no field
}

// FailureWords says what did not happen because fields are invalid.
func (f *form) FailureWords() string {
	if slices.ContainsFunc(f.Fields, func(one field) bool { return one.Kind == "search" }) {
		return "Nothing was searched for."
	}
	return "Nothing was saved."
}

// newForm returns a form with the given values, or unchanged fields for nil.
func newForm(given url.Values, fields ...field) *form {
	for i, f := range fields {
		if given == nil {
			fields[i].Was = f.Value
			continue
		}
		fields[i].Value, fields[i].Was = given.Get(f.Name), given.Get("was:"+f.Name)
		if f.Kind == "password" || f.Kind == "secret area" {
			fields[i].Value = "" // it must be entered again
		}
	}
	return &form{Fields: fields}
}

// newFilter returns the form that filters a list, next to another form on the page.
func newFilter(query url.Values, fields ...field) *form {
	for i := range fields {
		fields[i].of = "filter-"
	}
	return newForm(query, fields...)
}

// refuse adds the API's errors to their fields.
func (f *form) refuse(problem *refusal) {
	for _, detail := range problem.ExtraDetails() {
		if !f.put(detail) {
			f.Errors = append(f.Errors, sentence(detail))
		}
	}
	if len(f.InvalidFields())+len(f.Errors) == 0 {
		f.Errors = append(f.Errors, sentence(problem.Message))
	}
}

// status adds the API's errors to their fields and returns the status of the page to show. Other
// errors are returned.
func (f *form) status(err error) (int, error) {
	problem := asRefusal(err)
	if problem == nil || problem.Status != http.StatusBadRequest && problem.Status != http.StatusConflict && problem.Status != http.StatusUnprocessableEntity {
		return http.StatusOK, err
	}
	f.refuse(problem)
	return http.StatusUnprocessableEntity, nil
}

// refusedForm shows a form again with the API's errors. Other errors are returned.
func refusedForm(err error, f *form, show func(status int, f *form) error) error {
	status, err := f.status(err)
	if err != nil {
		return err
	}
	return show(status, f)
}

func (f *form) put(detail string) bool {
	name, words, found := strings.Cut(detail, ": ")
	if !found {
		return false
	}
	name, _, _ = strings.Cut(name, " and ") // an error of two fields is shown at the first one
	for i := range f.Fields {
		if own := f.Fields[i].Name; name == own || strings.HasPrefix(name, own+".") || strings.HasPrefix(name, own+"[") {
			words = partWords(strings.TrimPrefix(name, own)) + words
			if f.Fields[i].Error != "" {
				words = f.Fields[i].Error + " " + sentence(words)
			}
			f.Fields[i].Error = sentence(words)
			return true
		}
	}
	return false
}

// partWords returns which part of a field has an error, such as entry 2 of a list.
func partWords(place string) string {
	if at, ok := strings.CutPrefix(place, "["); ok {
		digits, _, _ := strings.Cut(at, "]")
		if number, err := strconv.Atoi(digits); err == nil {
			return "entry " + strconv.Itoa(number+1) + ": "
		}
	}
	if place = strings.TrimPrefix(place, "."); place != "" {
		return place + ": "
	}
	return ""
}

// InvalidFields returns the fields with errors.
func (f *form) InvalidFields() (list []field) {
	for _, one := range f.Fields {
		if one.Error != "" {
			list = append(list, one)
		}
	}
	return list
}

// Field returns the field with that name, for templates that place fields individually.
func (f *form) Field(name string) field {
	for _, one := range f.Fields {
		if one.Name == name {
			return one
		}
	}
	return field{}
}
