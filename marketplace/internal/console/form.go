package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// field is one of a form's.
type field struct {
	Name     string // as the API calls it, such as location.city
	Label    string
	Kind     string // of the input; area and choice are their own
	Hint     string
	Value    string
	Was      string // as the page showed it; kept by forms that send what has changed
	Choices  []choice
	Required bool
	Complete string // for password managers
	Rows     int
	Error    string
	of       string // tells the fields of a second form of the page from the first's
}

// choice is one of a field's.
type choice struct{ Value, Label string }

// ID is by which the page knows the field.
func (f field) ID() string {
	return "f-" + f.of + strings.NewReplacer(".", "-", "[", "-", "]", "").Replace(f.Name)
}

// form is one with what was typed, and what is wrong with it.
type form struct {
	Fields []field
	Errors []string // that belong to no field
}

// newForm returns a form with what was given; nil leaves the fields as they are.
func newForm(given url.Values, fields ...field) *form {
	for i, f := range fields {
		if given == nil {
			fields[i].Was = f.Value
			continue
		}
		fields[i].Value, fields[i].Was = given.Get(f.Name), given.Get("was:"+f.Name)
		if f.Kind == "password" {
			fields[i].Value = "" // it is entered again
		}
	}
	return &form{Fields: fields}
}

// newFilter returns the form that chooses what a list shows, beside another form of its page.
func newFilter(query url.Values, fields ...field) *form {
	for i := range fields {
		fields[i].of = "filter-"
	}
	return newForm(query, fields...)
}

// refuse puts what the API has said at the fields that it speaks of.
func (f *form) refuse(said *refusal) {
	for _, detail := range said.More() {
		if !f.put(detail) {
			f.Errors = append(f.Errors, sentence(detail))
		}
	}
	if len(f.Wrong())+len(f.Errors) == 0 {
		f.Errors = append(f.Errors, sentence(said.Message))
	}
}

// status puts what the API has refused at the fields that it speaks of. It is the status
// of the page that comes next; other errors are returned.
func (f *form) status(err error) (int, error) {
	said := refused(err)
	if said == nil || said.Status != http.StatusBadRequest && said.Status != http.StatusConflict && said.Status != http.StatusUnprocessableEntity {
		return http.StatusOK, err
	}
	f.refuse(said)
	return http.StatusUnprocessableEntity, nil
}

// refusedForm shows a form again with what the API has refused of it. Other errors are
// returned.
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
	for i := range f.Fields {
		if own := f.Fields[i].Name; name == own || strings.HasPrefix(name, own+".") || strings.HasPrefix(name, own+"[") {
			words = inside(strings.TrimPrefix(name, own)) + words
			if f.Fields[i].Error != "" {
				words = f.Fields[i].Error + " " + sentence(words)
			}
			f.Fields[i].Error = sentence(words)
			return true
		}
	}
	return false
}

// inside says which part of a field is meant, such as entry 2 of a list.
func inside(place string) string {
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

// Wrong lists the fields that are wrong.
func (f *form) Wrong() (list []field) {
	for _, one := range f.Fields {
		if one.Error != "" {
			list = append(list, one)
		}
	}
	return list
}

// Field is the field of that name, for templates that place them by hand.
func (f *form) Field(name string) field {
	for _, one := range f.Fields {
		if one.Name == name {
			return one
		}
	}
	return field{}
}
