package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
)

// List is a list that the marketplace answers page by page.
type List[T any] struct {
	c     *connection
	path  string
	query url.Values
}

// Page is one page of a list.
type Page[T any] struct {
	Entries    []T
	Pagination Pagination
}

// Pagination tells which part of a list a page is.
type Pagination struct {
	PageSize   int `json:"pageSize"`
	Page       int `json:"page"`       // from 1
	TotalCount int `json:"totalCount"` // of all pages
}

// largestPage is how many entries a page has at most.
const largestPage = 100

// Page reads one page, counted from 1, of at most so many entries: from 1 to 100. Past the
// end it is empty.
func (l List[T]) Page(ctx context.Context, page, size int) (Page[T], error) {
	query := url.Values{"page": {strconv.Itoa(page)}, "limit": {strconv.Itoa(size)}}
	for name, values := range l.query {
		query[name] = values
	}
	a, err := callFramed[[]T](ctx, l.c, get(l.path, query))
	return Page[T]{Entries: a.Data, Pagination: a.Pagination}, err
}

// All goes through all pages, and ends with the first error. Where the list changes
// meanwhile an entry may be missed, or come twice. A page may have fewer entries than it
// could: what has no price in the currency that is asked for is left out.
func (l List[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for number := 1; ; number++ {
			page, err := l.Page(ctx, number, largestPage)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, entry := range page.Entries {
				if !yield(entry, nil) {
					return
				}
			}
			if number*largestPage >= page.Pagination.TotalCount {
				return
			}
		}
	}
}

// queryOf is a query of names and values, in pairs, without those that are "".
func queryOf(pairs ...string) url.Values {
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return query
}
