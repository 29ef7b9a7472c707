package domain

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/bounded"
)

// PageRequest is a request for part of a list.
type PageRequest struct {
	Size  int     // of the page, in entries
	Skip  int64   // the number of entries before it
	After *Cursor // replaces Skip: the last entry of the previous page
}

// Page is a part of a list.
type Page[T any] struct {
	Entries []T
	Next    *Cursor // where the next page starts; nil on the last page
	Total   int     // of all pages, at most MostCounted; 0 for a request with a cursor
	Capped  bool    // there are more entries than Total
}

// MostCounted limits how many entries are counted, and how far a page number may reach, so that
// neither takes longer as the list grows.
const MostCounted = 10_000

// MostFound limits how many bookings a search by words counts, if it finds many.
const MostFound = 1_000

// Cursor is an entry's place in a list that is ordered by a time and, for equal times, by id.
type Cursor struct {
	At time.Time // with the database's precision, microseconds
	ID uuid.UUID
}

// The sizes of a cursor's place and of its checksum, in bytes.
const (
	cursorSize = 8 + 16
	sumSize    = 4
)

// Text returns the cursor for callers. It is valid for the named list.
func (c Cursor) Text(list string) string {
	text := binary.BigEndian.AppendUint64(nil, uint64(c.At.UnixMicro()))
	return EncodeCursor(list, append(text, c.ID[:]...))
}

// EncodeCursor returns a place in the named list for callers.
func EncodeCursor(list string, place []byte) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(place, cursorSum(list, place)))
}

// DecodeCursor returns the place that EncodeCursor encoded, and false if the text is not a cursor of the
// list.
func DecodeCursor(list, text string) (place []byte, ok bool) {
	raw, err := bounded.Base64URL(text)
	if err != nil || len(raw) < sumSize {
		return nil, false
	}
	place = raw[:len(raw)-sumSize]
	return place, binary.BigEndian.Uint32(raw[len(place):]) == cursorSum(list, place)
}

var errCursor = errors.New("expected the next_cursor of this list, unchanged")

// ReadCursor parses a cursor of the named list.
func ReadCursor(list, text string) (Cursor, error) {
	raw, ok := DecodeCursor(list, text)
	if !ok || len(raw) != cursorSize {
		return Cursor{}, errCursor
	}
	at := time.UnixMicro(int64(binary.BigEndian.Uint64(raw))).UTC()
	if at.Year() < 1 || at.Year() > 9999 { // outside of the database's range
		return Cursor{}, errCursor
	}
	return Cursor{at, uuid.UUID(raw[8:cursorSize])}, nil
}

// cursorSum detects cursors that were mistyped or belong to another list. A forged cursor gives
// access to nothing more.
func cursorSum(list string, place []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte(list)), crc32.IEEETable, place)
}
