package console

import (
	"net/http"
	"net/url"

	"partnerkit.dev/marketplace/client"
)

// listPage is a list with a form that searches it or adds to it.
type listPage[T any] struct {
	frame
	List     []T
	Pager    pager
	Form     *form
	Filtered bool // a filter is set

	query url.Values // its filters and its page
}

// HasResults reports whether the page has rows, which are many fields below the top.
func (p *listPage[T]) HasResults() bool { return len(p.List) > 0 }

// filteredPage is a list with one form that adds to it and one that filters it.
type filteredPage[T any] struct {
	listPage[T]
	Filter *form
}

// modes are the choices of a new integration or token. The first one is proposed: it can do no harm.
var modes = []choice{{"test", "test: nothing is real"}, {"live", "live: real seats and money"}}

// search shows the API's list for a query, below the form. asked is the query for the API. The
// template and the path are named after the section.
func search[T any](x *exchange, title, section string, f *form, query, asked url.Values) error {
	p, status, err := find[T](x, title, section, f, query, asked)
	if err != nil {
		return err
	}
	return x.show(status, section+".html", p)
}

// find reads a page of a list of the API, and returns its status.
func find[T any](x *exchange, title, section string, f *form, query, asked url.Values) (*listPage[T], int, error) {
	list, part, err := read[[]T](x, "/operator/"+section, asked)
	status, err := f.status(err)
	if err != nil {
		return nil, 0, err
	}
	pages := x.newPager(part, root+"/"+section, query)
	pages.Newest = section == "bookings"
	return &listPage[T]{frame{Page: title, Section: section}, list, pages, f, len(query) > 0, query}, status, nil
}

// pager links to other pages of a list.
type pager struct {
	Total       string // of all pages, in words; "" if it was not counted
	First, Next string // addresses; "": no such page
	Newest      bool   // the list starts with the newest
}

// newPager returns the pager of a list at that address.
func (x *exchange) newPager(part client.Pagination, path string, query url.Values) (p pager) {
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
		p.Total = x.reader().Count(part.TotalCount) + " in all"
		if part.TotalCountCapped {
			p.Total = "More than " + x.reader().Count(part.TotalCount)
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

// queryValues returns the named parameters of a list's address.
func (x *exchange) queryValues(names ...string) url.Values {
	given, query := x.r.URL.Query(), url.Values{}
	for _, name := range append(names, "page", "cursor") {
		if value := given.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// confirm shows a page that asks for confirmation.
func (x *exchange) confirm(title, section string, p confirmPage) error {
	p.frame = frame{Page: title, Section: section}
	return x.show(http.StatusOK, "sure.html", &p)
}

// confirmPage asks for confirmation of an action, which usually cannot be undone.
type confirmPage struct {
	frame
	Harmless bool     // it can be undone
	Says     []string // what the action does
	Form     *form    // additional input; nil: none needed
	Do       string   // the button's label
	Action   string   // the form's address
	Back     string
	Keep     string // the label of the link back; "": Go back
}

// overviewPage shows what needs attention, and the bookings of the last days.
type overviewPage struct {
	frame
	client.Overview
	Sales  sales
	Causes []causeView
}

// overview reads what the overview shows.
func (x *exchange) overview() (client.Overview, error) {
	found, _, err := read[client.Overview](x, "/operator/overview", nil)
	return found, err
}

func showOverview(x *exchange) error {
	found, err := x.overview()
	if err != nil {
		return err
	}
	return x.show(http.StatusOK, "overview.html", &overviewPage{frame{Page: "Overview", Section: "overview", Follow: root + "/changes"}, found, newSales(found, x.reader()), causeViews(found.Causes, x.reader())})
}
