package api

import "net/http"

// The size of a page: at most, and where nobody says.
const (
	mostOnPage  = 100
	usualOnPage = 20
)

// mostPage bounds the number of a page: the place that it begins at is still one that
// PostgreSQL can count.
const mostPage = 1 << 31

// page is the part of a list that a caller asks for.
type page struct {
	number int // from 1
	size   int
}

// skip is how many lie before the page.
func (p page) skip() int64 { return int64(p.number-1) * int64(p.size) }

// readPage reads page and limit. The error is Invalid and names both where both are
// wrong.
func readPage(r *http.Request) (page, error) {
	given := readQuery(r)
	asked := given.page()
	return asked, given.check()
}

// page reads page and limit.
func (q *query) page() page {
	return page{number: q.number("page", 1, mostPage), size: q.number("limit", usualOnPage, mostOnPage)}
}

// pagination tells which part of a list an answer is.
type pagination struct {
	PageSize   int `json:"pageSize"`
	Page       int `json:"page"`
	TotalCount int `json:"totalCount"`
}

// writePage writes a page of a list that has so many in all.
func writePage(w http.ResponseWriter, data any, asked page, total int) error {
	return writeJSON(w, http.StatusOK, struct {
		success
		Pagination pagination `json:"pagination"`
	}{success{Success: 1, Data: data}, pagination{asked.size, asked.number, total}})
}
