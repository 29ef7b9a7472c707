package api

import (
	"fmt"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/storefront"
)

// The size of a page: at most, and by default.
const (
	mostOnPage  = 100
	usualOnPage = 20
)

// mostPage bounds the number of a page: the place that it begins at is still one that
// PostgreSQL can count.
const mostPage = 1 << 31

// page is the part of a list that a caller asks for.
type page struct {
	list   string              // whose cursors are good for it
	number int                 // from 1
	size   int                 // in entries
	after  *marketplace.Cursor // instead of the number
}

// page reads page, limit and cursor of the list of that name, which are read last, and
// returns all that was wrong with the query, as Invalid.
func (q *query) page(list string) (page, error) {
	asked := page{list: list, number: q.number("page", 1, mostPage), size: q.number("limit", usualOnPage, mostOnPage)}
	if text, given := q.one("cursor"); given {
		after, err := marketplace.ReadCursor(list, text)
		if err != nil {
			q.refuse("cursor", err.Error())
		}
		if _, numbered := q.one("page"); numbered {
			q.refuse("cursor", "use page or cursor, not both")
		}
		asked.after = &after
	}
	return asked, q.check()
}

// stored is page of a list that is read from the database: of its pages only the first
// can be had by their number.
func (q *query) stored(list string) (page, error) {
	asked, err := q.page(list)
	if err == nil && asked.request().Skip >= marketplace.MostCounted {
		q.refuse("page", fmt.Sprintf("reaches only the first %d entries; continue with cursor, the next_cursor of the previous page", marketplace.MostCounted))
		err = q.check()
	}
	return asked, err
}

func (p page) request() marketplace.PageRequest {
	return marketplace.PageRequest{Size: p.size, Skip: int64(p.number-1) * int64(p.size), After: p.after}
}

// listPage is a page of a list.
type listPage struct {
	entries any
	storefront.Pagination
}

// pageOf is the page that was asked for, each entry as answers show it.
func pageOf[T, V any](asked page, found marketplace.Page[T], view func(T) V) listPage {
	entries := make([]V, len(found.Entries))
	for i, entry := range found.Entries {
		entries[i] = view(entry)
	}
	pagination := storefront.Pagination{PageSize: asked.size}
	if found.Next != nil {
		pagination.NextCursor = new(found.Next.Text(asked.list))
	}
	if asked.after == nil {
		pagination.Page, pagination.TotalCount, pagination.TotalCountCapped = asked.number, &found.Total, found.Capped
	}
	return listPage{entries, pagination}
}
