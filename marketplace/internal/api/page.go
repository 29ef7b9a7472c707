package api

import (
	"fmt"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
)

// The size of a page: the maximum and the default.
const (
	mostOnPage  = 100
	usualOnPage = 20
)

// mostPage limits page numbers, so that PostgreSQL can count to the page's first entry.
const mostPage = 1 << 31

// page is a request for part of a list.
type page struct {
	list   string         // the list that its cursors belong to
	number int            // starts at 1
	size   int            // number of entries
	after  *domain.Cursor // replaces the number
}

// page reads page, limit and cursor for the named list. It is read last and returns all mistakes of
// the query as Invalid.
func (q *query) page(list string) (page, error) {
	asked := page{list: list}
	var err error
	asked.number, asked.size, err = q.pageBy(func(text string) error {
		after, err := domain.ReadCursor(list, text)
		asked.after = &after
		return err
	})
	return asked, err
}

// pageBy is page for a list whose cursors read parses.
func (q *query) pageBy(read func(cursor string) error) (number, size int, err error) {
	number, size = q.number("page", 1, mostPage), q.number("limit", usualOnPage, mostOnPage)
	if text, given := q.one("cursor"); given {
		if err := read(text); err != nil {
			q.refuse("cursor", err.Error())
		}
		if _, numbered := q.one("page"); numbered {
			q.refuse("cursor", "use page or cursor, not both")
		}
	}
	return number, size, q.check()
}

// storedPage is page for a list from the database. Only its first pages can be requested by number.
func (q *query) storedPage(list string) (page, error) {
	asked, err := q.page(list)
	if err == nil && asked.request().Skip >= domain.MostCounted {
		q.refuse("page", fmt.Sprintf("reaches only the first %d entries; continue with cursor, the next_cursor of the previous page", domain.MostCounted))
		err = q.check()
	}
	return asked, err
}

func (p page) request() domain.PageRequest {
	return domain.PageRequest{Size: p.size, Skip: int64(p.number-1) * int64(p.size), After: p.after}
}

// listPage is a page of a list with its position.
type listPage struct {
	entries any
	storefront.Pagination
}

// pageOf returns a page with each entry as answers contain it.
func pageOf[T, V any](asked page, found domain.Page[T], view func(T) V) listPage {
	pagination := storefront.Pagination{PageSize: asked.size}
	if found.Next != nil {
		pagination.NextCursor = new(found.Next.Text(asked.list))
	}
	if asked.after == nil {
		pagination.Page, pagination.TotalCount, pagination.TotalCountCapped = asked.number, &found.Total, found.Capped
	}
	return listPage{viewList(found.Entries, view), pagination}
}
