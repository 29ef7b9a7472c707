package storefront

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"sync"
)

// Answer is a body that is made: it never changes.
type Answer struct {
	Body []byte
	ETag string // of what it says, however it is encoded: a weak one
	zip  func() []byte
}

// Gzip is the body compressed; nil where that would not make it smaller.
func (a *Answer) Gzip() []byte { return a.zip() }

// Success is the frame of a good answer.
type Success struct {
	Success    int         `json:"success"` // 1
	Data       any         `json:"data"`
	Pagination *Pagination `json:"pagination,omitempty"`
}

// Pagination tells which part of a list an answer is.
type Pagination struct {
	PageSize         int     `json:"pageSize"`
	Page             int     `json:"page,omitempty"`       // 0: it was asked for by a cursor
	TotalCount       *int    `json:"totalCount,omitempty"` // nil: it was asked for by a cursor
	TotalCountCapped bool    `json:"totalCountCapped,omitempty"`
	NextCursor       *string `json:"next_cursor"` // nil: nothing follows
}

func made(frame Success) (*Answer, error) {
	frame.Success = 1
	body, err := json.Marshal(frame)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	return &Answer{
		Body: body, ETag: `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`,
		zip: sync.OnceValue(func() []byte { return compressed(body) }),
	}, nil
}

// answer is the answer with those data, where there is no error.
func answer[T any](data T, err error) (*Answer, error) {
	if err != nil {
		return nil, err
	}
	return made(Success{Data: data})
}

func compressed(body []byte) []byte {
	var smaller bytes.Buffer
	zip := gzip.NewWriter(&smaller)
	_, _ = zip.Write(body) // a buffer takes everything
	_ = zip.Close()
	if smaller.Len() >= len(body) {
		return nil
	}
	return bytes.Clone(smaller.Bytes())
}
