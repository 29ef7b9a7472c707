package storefront

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"sync"
)

// Answer is an encoded body. It never changes.
type Answer struct {
	Body []byte
	ETag string // a weak tag of the content, independent of its encoding
	zip  func() []byte
}

// Gzip returns the compressed body, or nil if it would not be smaller.
func (a *Answer) Gzip() []byte { return a.zip() }

// Success is the envelope of a successful answer.
type Success struct {
	Success    int         `json:"success"` // 1
	Data       any         `json:"data"`
	Pagination *Pagination `json:"pagination,omitempty"`
}

// Pagination describes an answer's place in a list.
type Pagination struct {
	PageSize         int     `json:"pageSize"`
	Page             int     `json:"page,omitempty"`       // 0 for a request by cursor
	TotalCount       *int    `json:"totalCount,omitempty"` // nil for a request by cursor
	TotalCountCapped bool    `json:"totalCountCapped,omitempty"`
	NextCursor       *string `json:"next_cursor"` // nil on the last page
}

func newAnswer(frame Success) (*Answer, error) {
	frame.Success = 1
	body, err := json.Marshal(frame)
	if err != nil {
		return nil, err
	}
	return wrap(body), nil
}

// newListAnswer returns the answer with these encoded entries.
func newListAnswer(entries [][]byte, pagination *Pagination) (*Answer, error) {
	end, err := json.Marshal(pagination)
	if err != nil {
		return nil, err
	}
	return wrap(slices.Concat([]byte(`{"success":1,"data":[`), bytes.Join(entries, []byte(",")), []byte(`],"pagination":`), end, []byte("}"))), nil
}

func wrap(body []byte) *Answer {
	sum := sha256.Sum256(body)
	return &Answer{
		Body: body, ETag: `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`,
		zip: sync.OnceValue(func() []byte { return compress(body) }),
	}
}

// answer encodes data, unless there is an error.
func answer[T any](data T, err error) (*Answer, error) {
	if err != nil {
		return nil, err
	}
	return newAnswer(Success{Data: data})
}

func compress(body []byte) []byte {
	var smaller bytes.Buffer
	zip := gzip.NewWriter(&smaller)
	_, _ = zip.Write(body) // writing to a buffer never fails
	_ = zip.Close()
	if smaller.Len() >= len(body) {
		return nil
	}
	return bytes.Clone(smaller.Bytes())
}
