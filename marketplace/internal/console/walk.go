package console

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"partnerkit.dev/marketplace/client"
)

// place is where something stands in the list from which its page was opened. The page's address keeps it, so that the
// way back has the list's filters, and the entries before and after it are one key away.
type place struct {
	section string     // bookings or activities
	list    url.Values // the filters and the page of the list; nil: it was not opened from a list
	at      int        // the position on that page
}

// place returns the place in the request's address.
func (x *exchange) place(section string) place {
	query := x.r.URL.Query()
	list, err := url.ParseQuery(query.Get("list"))
	at, wrong := strconv.Atoi(query.Get("at"))
	if !query.Has("list") || err != nil || wrong != nil || at < 0 {
		return place{section: section}
	}
	return place{section, list, at}
}

// Back returns the address of the list.
func (p place) Back() string {
	if len(p.list) == 0 {
		return root + "/" + p.section
	}
	return root + "/" + p.section + "?" + p.list.Encode()
}

// Title returns the name of the list.
func (p place) Title() string { return strings.ToUpper(p.section[:1]) + p.section[1:] }

// Query returns the place for the address of a page of the entry; "" if it has none.
func (p place) Query() string {
	if p.list == nil {
		return ""
	}
	return "?" + p.values().Encode()
}

func (p place) values() url.Values {
	if p.list == nil {
		return url.Values{}
	}
	return url.Values{"list": {p.list.Encode()}, "at": {strconv.Itoa(p.at)}}
}

// List returns the list's filters and page for a form's hidden field.
func (p place) List() string { return p.list.Encode() }

// At returns the position for a form's hidden field.
func (p place) At() int { return p.at }

// Known reports whether the page was opened from a list.
func (p place) Known() bool { return p.list != nil }

// entry returns the address of an entry of the same list.
func (p place) entry(id string, list url.Values, at int) string {
	return root + "/" + p.section + "/" + url.PathEscape(id) + place{list: list, at: at}.Query()
}

// walk is a place with the addresses of its neighbours; "" where the list ends.
type walk struct {
	place
	Before, After string
}

// listed is an entry of a list of the API.
type listed struct {
	ID string `json:"_id"`
}

// walk reads the list from which a page was opened. asked returns the API's query for the list's filters. An entry that
// has left the list meanwhile, because somebody has dealt with it, has the one after it in its place.
func (x *exchange) walk(section, id string, asked func(url.Values) (url.Values, error)) (walk, error) {
	w := walk{place: x.place(section)}
	if !w.Known() {
		return w, nil
	}
	read := func(list url.Values) ([]listed, client.Pagination, error) {
		query, err := asked(list)
		if err != nil {
			return nil, client.Pagination{}, err
		}
		return read[[]listed](x, "/operator/"+section, query)
	}
	entries, part, err := read(w.list)
	if problem := asRefusal(err); problem != nil && problem.Status != http.StatusUnauthorized {
		return w, nil // the list cannot be read any more, such as with an old cursor
	}
	if err != nil {
		return w, err
	}
	before, after := min(w.at, len(entries))-1, min(w.at, len(entries))
	if i := slices.IndexFunc(entries, func(e listed) bool { return e.ID == id }); i >= 0 {
		w.at, before, after = i, i-1, i+1
	}
	if before >= 0 {
		w.Before = w.entry(entries[before].ID, w.list, before)
	}
	switch {
	case after < len(entries):
		w.After = w.entry(entries[after].ID, w.list, after)
	case part.NextCursor != "":
		next := maps.Clone(w.list)
		next.Del("page")
		next.Set("cursor", part.NextCursor)
		if entries, _, err = read(next); err != nil {
			return w, err
		}
		if len(entries) > 0 {
			w.After = w.entry(entries[0].ID, next, 0)
		}
	}
	return w, nil
}

// Opened returns the address of a list's entry, which leads back to the list.
func (p *listPage[T]) Opened(at int, id string) string {
	return place{section: p.Section}.entry(id, p.query, at)
}
