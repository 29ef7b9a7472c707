package marketplace

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	"github.com/google/uuid"
)

// PageRequest is the part of a list that is asked for.
type PageRequest struct {
	Size  int     // of the page, in entries
	Skip  int64   // how many entries lie before it
	After *Cursor // instead: where the page before it has ended
}

// Page is a part of a list.
type Page[T any] struct {
	Entries []T
	Next    *Cursor // where the next page goes on; nil: this is the last one
	Total   int     // of all pages, at most MostCounted; not counted where the request has a cursor
	Capped  bool    // there are more than Total
}

// MostCounted is how many entries of a list are counted, and can be asked for by the
// number of their page: neither takes longer as the list grows.
const MostCounted = 10_000

// Cursor is the place of an entry in its list: lists are in the order of a time, and of ids
// where times are equal.
type Cursor struct {
	At time.Time // as the database keeps it, in microseconds
	ID uuid.UUID
}

const cursorSize = 8 + 16

// Text is the cursor as callers pass it back. It is good for the list of that name.
func (c Cursor) Text(list string) string {
	text := binary.BigEndian.AppendUint64(nil, uint64(c.At.UnixMicro()))
	text = append(text, c.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(text, cursorSum(list, text)))
}

var errCursor = errors.New("expected the next_cursor of this list, unchanged")

// ReadCursor returns the cursor of a text of that list.
func ReadCursor(list, text string) (Cursor, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != cursorSize+4 || binary.BigEndian.Uint32(raw[cursorSize:]) != cursorSum(list, raw[:cursorSize]) {
		return Cursor{}, errCursor
	}
	at := time.UnixMicro(int64(binary.BigEndian.Uint64(raw))).UTC()
	if at.Year() < 1 || at.Year() > 9999 { // which no database takes
		return Cursor{}, errCursor
	}
	return Cursor{at, uuid.UUID(raw[8:cursorSize])}, nil
}

// cursorSum tells a cursor that was mistyped, or is of another list. A caller may make one
// up: it reads nothing by it that it could not read without.
func cursorSum(list string, place []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte(list)), crc32.IEEETable, place)
}
