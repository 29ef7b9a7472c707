package console

import (
	"net/http"
	"net/url"
	"strconv"

	"partnerkit.dev/marketplace/client"
)

// listPage is a list with the form that searches it, or that adds to it.
type listPage[T any] struct {
	frame
	List     []T
	Pager    pager
	Form     *form
	Filtered bool // somebody has chosen
}

// filteredPage is a list with a form that adds to it, beside the one that searches it.
type filteredPage[T any] struct {
	listPage[T]
	Filter *form
}

// modes are the choices of a new integration or token.
var modes = []choice{{"live", "live: real seats and money"}, {"test", "test: nothing is real"}}

// search shows what the API lists for a query, below the form that it was given by. asked
// is the query as the API has it; the template and the path are called after the section.
func search[T any](x *exchange, title, section string, f *form, query, asked url.Values) error {
	list, part, err := read[[]T](x, "/operator/"+section, asked)
	status, err := f.status(err)
	if err != nil {
		return err
	}
	pages := newPager(part, root+"/"+section, query)
	pages.Newest = section == "bookings"
	return x.show(status, section+".html", &listPage[T]{frame{Page: title, Section: section}, list, pages, f, len(query) > 0})
}

// pager leads through the pages of a list.
type pager struct {
	Total       string // of all pages, in words; "" where it was not counted
	First, Next string // addresses; "" if there is no such page
	Newest      bool   // the list begins with the newest
}

// newPager returns the pager of an answer, for a list at that address.
func newPager(part pagination, path string, query url.Values) (p pager) {
	to := func(cursor string) string {
		q := url.Values{}
		for name, values := range query {
			if len(values) > 0 && values[0] != "" {
				q.Set(name, values[0])
			}
		}
		q.Del("page")
		if q.Del("cursor"); cursor != "" {
			q.Set("cursor", cursor)
		}
		if len(q) == 0 {
			return path
		}
		return path + "?" + q.Encode()
	}
	if part.Page > 0 {
		p.Total = strconv.Itoa(part.TotalCount) + " in all"
		if part.TotalCountCapped {
			p.Total = "More than " + strconv.Itoa(part.TotalCount)
		}
	}
	if part.Page != 1 {
		p.First = to("")
	}
	if part.NextCursor != "" {
		p.Next = to(part.NextCursor)
	}
	return p
}

// asked is what a list's address asks for, by these names; the others are left out.
func (x *exchange) asked(names ...string) url.Values {
	given, query := x.r.URL.Query(), url.Values{}
	for _, name := range append(names, "page", "cursor") {
		if value := given.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// confirm asks before something is done.
func (x *exchange) confirm(title, section string, p confirmPage) error {
	p.frame = frame{Page: title, Section: section}
	return x.show(http.StatusOK, "sure.html", &p)
}

// confirmPage asks before something is done that cannot be undone.
type confirmPage struct {
	frame
	Says   []string // what the action does
	Form   *form    // what has to be told; nil: nothing
	Do     string   // the button's words
	Action string   // where the form goes
	Back   string
}

// overviewPage lists what needs attention now, and what was booked in the last days.
type overviewPage struct {
	frame
	client.Overview
	Sales sales
}

func showOverview(x *exchange) error {
	found, _, err := read[client.Overview](x, "/operator/overview", nil)
	if err != nil {
		return err
	}
	return x.show(http.StatusOK, "overview.html", &overviewPage{frame{Page: "Overview", Section: "overview"}, found, newSales(found)})
}
