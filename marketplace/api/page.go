package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"partnerkit.dev/marketplace"
)

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
func readPage(query url.Values) (page, error) {
	wrong := &marketplace.Error{Code: marketplace.Invalid, Message: "the page is not as it should be"}
	number := func(name string, most, usual int) int {
		if !query.Has(name) {
			return usual
		}
		given, err := strconv.Atoi(query.Get(name))
		if err != nil || given < 1 || given > most || len(query[name]) > 1 {
			wrong.Details = append(wrong.Details, fmt.Sprintf("%s: want a whole number from 1 to %d", name, most))
		}
		return given
	}
	asked := page{number: number("page", mostPage, 1), size: number("limit", mostOnPage, usualOnPage)}
	if len(wrong.Details) > 0 {
		return page{}, wrong
	}
	return asked, nil
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
