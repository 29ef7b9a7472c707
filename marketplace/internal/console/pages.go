package console

import (
	"net/url"
	"strconv"
)

// pager leads through the pages of a list.
type pager struct {
	Number, Last   int
	First, Until   int // of what is shown, from 1
	Total          int
	Previous, Next string // addresses; "" where there is none
}

// newPager returns the pager of an answer, for a list at that address.
func newPager(part pagination, path string, query url.Values) pager {
	p := pager{Number: part.Page, Total: part.TotalCount, Last: max(1, (part.TotalCount+part.PageSize-1)/max(1, part.PageSize))}
	p.First = min((part.Page-1)*part.PageSize+1, part.TotalCount)
	p.Until = min(part.Page*part.PageSize, part.TotalCount)
	to := func(number int) string {
		q := url.Values{}
		for name, values := range query {
			if len(values) > 0 && values[0] != "" {
				q.Set(name, values[0])
			}
		}
		if q.Del("page"); number > 1 {
			q.Set("page", strconv.Itoa(number))
		}
		if len(q) == 0 {
			return path
		}
		return path + "?" + q.Encode()
	}
	if part.Page > 1 {
		p.Previous = to(min(part.Page-1, p.Last))
	}
	if part.Page < p.Last {
		p.Next = to(part.Page + 1)
	}
	return p
}

// asked is what a list's address asks for, by these names; the others are left out.
func (x *exchange) asked(names ...string) url.Values {
	given, query := x.r.URL.Query(), url.Values{}
	for _, name := range append(names, "page") {
		if value := given.Get(name); value != "" {
			query.Set(name, value)
		}
	}
	return query
}
