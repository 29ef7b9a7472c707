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
	PageSize         int    `json:"pageSize"`
	Page             int    `json:"page"`             // from 1; 0 of a page that After has read
	TotalCount       int    `json:"totalCount"`       // of all pages; 0 of a page that After has read
	TotalCountCapped bool   `json:"totalCountCapped"` // there are more than that
	NextCursor       string `json:"next_cursor"`      // for After; "" on the last page
}

// largestPage is how many entries a page has at most.
const largestPage = 100

// Page reads one page, counted from 1, of at most so many entries: from 1 to 100. Past the
// end it is empty. After reads what lies beyond the first 10,000 entries.
func (l List[T]) Page(ctx context.Context, page, size int) (Page[T], error) {
	return l.read(ctx, "page", strconv.Itoa(page), size)
}

// After reads the page that follows the one with that NextCursor, of at most so many
// entries. It takes the same time wherever in the list that is.
func (l List[T]) After(ctx context.Context, cursor string, size int) (Page[T], error) {
	return l.read(ctx, "cursor", cursor, size)
}

func (l List[T]) read(ctx context.Context, by, value string, size int) (Page[T], error) {
	query := url.Values{by: {value}, "limit": {strconv.Itoa(size)}}
	for name, values := range l.query {
		query[name] = values
	}
	a, err := callFramed[[]T](ctx, l.c, get(l.path, query))
	return Page[T]{Entries: a.Data, Pagination: a.Pagination}, err
}

// All goes through all pages, and ends with the first error. An entry that is there all
// the time comes once, whatever else changes meanwhile.
func (l List[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		page, err := l.Page(ctx, 1, largestPage)
		for ; err == nil; page, err = l.After(ctx, page.Pagination.NextCursor, largestPage) {
			for _, entry := range page.Entries {
				if !yield(entry, nil) {
					return
				}
			}
			if page.Pagination.NextCursor == "" {
				return
			}
		}
		var none T
		yield(none, err)
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
