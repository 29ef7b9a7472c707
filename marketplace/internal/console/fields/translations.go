package fields

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// translated are the fields of an activity that a translation has in the form.
var translated = []Field{
	{Path: "activity_title", Label: "Title", Kind: "text"},
	{Path: "main_promo_title", Label: "Promotion", Kind: "text"},
	{Path: "short_description", Label: "Short description", Kind: "area", Rows: 2},
	{Path: "description", Label: "Description", Kind: "area", Rows: 4},
}

// Variant is a variation whose texts are translated with its activity's.
type Variant struct{ ID, Title string }

// Translations returns a group for each language of an activity, and for one more if extra is not
// "".
func Translations(activity Object, variations []Variant, extra string) (groups []Group) {
	known, _ := activity["translation"].(map[string]any)
	languages := slices.Sorted(maps.Keys(known))
	if extra != "" && !slices.Contains(languages, extra) {
		languages = append(languages, extra)
	}
	for _, code := range languages {
		g := Group{Title: Language(code), Language: code}
		for _, f := range translated {
			f.Path = "translation." + code + "." + f.Path
			g.Fields = append(g.Fields, f)
		}
		for _, v := range variations {
			at := "translation." + code + ".variations." + v.ID
			g.Fields = append(g.Fields, Field{Path: at + ".title", Label: "Title of " + v.Title, Kind: "text"}, Field{Path: at + ".description", Label: "Description of " + v.Title, Kind: "area", Rows: 3})
		}
		if of, stored := known[code].(map[string]any); stored {
			g.Others = strings.Join(otherFields(of), ", ")
			g.Fields = append(g.Fields, Field{Path: "translation." + code, Label: "Delete this translation", Kind: "remove"})
		}
		groups = append(groups, g)
	}
	return groups
}

// otherFields returns the fields of a translation that the form does not have.
func otherFields(of map[string]any) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if name != "variations" && !slices.ContainsFunc(translated, func(f Field) bool { return f.Path == name }) {
			list = append(list, name)
		}
	}
	return list
}

// SentFields returns the fields of translations and of the partner's company that a form was sent with.
// Fields that remove a language are last, because they take precedence.
func SentFields(given url.Values) (g Group) {
	var remove []Field
	for _, name := range slices.Sorted(maps.Keys(given)) {
		path, ok := strings.CutPrefix(name, "was:")
		if !ok || !strings.HasPrefix(path, "translation.") && !strings.HasPrefix(path, companyPath) {
			continue
		}
		if strings.Count(path, ".") == 1 {
			remove = append(remove, Field{Path: path, Kind: "remove"})
			continue
		}
		g.Fields = append(g.Fields, Field{Path: path, Kind: "area"})
	}
	g.Fields = append(g.Fields, remove...)
	return g
}

// Language returns a language's name in English with its code: Portuguese (pt).
func Language(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return code
	}
	return display.English.Tags().Name(tag) + " (" + code + ")"
}

// ParseLanguage returns the canonical code of a language, or false.
func ParseLanguage(text string) (string, bool) {
	tag, err := language.Parse(strings.TrimSpace(text))
	if err != nil || tag == language.Und || strings.Contains(text, "_") {
		return "", false
	}
	return tag.String(), true
}
