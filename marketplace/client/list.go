package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"
)

// List is a list that is read page by page.
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

// Pagination describes a page's place in its list.
type Pagination struct {
	PageSize         int    `json:"pageSize"`
	Page             int    `json:"page"`                    // from 1; 0 for a page from After
	TotalCount       int    `json:"totalCount"`              // of all pages; 0 for a page from After
	TotalCountCapped bool   `json:"totalCountCapped"`        // there are more entries than TotalCount
	NextCursor       string `json:"next_cursor" wire:"null"` // for After; "" on the last page
}

// largestPage is the maximum number of entries on a page.
const largestPage = 100

// Page reads a page of 1 to 100 entries. Pages count from 1. A page past the end is empty. Use
// After to read beyond the first 10,000 entries.
func (l List[T]) Page(ctx context.Context, page, size int) (Page[T], error) {
	return l.read(ctx, "page", strconv.Itoa(page), size)
}

// After reads the page that follows the one with that NextCursor. It takes the same time anywhere
// in the list.
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

// All iterates over all entries and stops at the first error. Each entry that exists throughout
// appears exactly once, even if others change meanwhile.
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

// queryOf builds a query from pairs of names and values, without empty values.
func queryOf(pairs ...string) url.Values {
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return query
}
