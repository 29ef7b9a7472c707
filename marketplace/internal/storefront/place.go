package storefront

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// ListName is the name of the list in its cursors.
const ListName = "activities"

// Place is an activity's place in the answer to a query: its cursor.
type Place struct {
	Key     string // by which the answer is ordered; "": by creation
	Created int64  // in microseconds since 1970
	ID      uuid.UUID
}

func (p Place) compare(other Place) int {
	return cmp.Or(cmp.Compare(p.Key, other.Key), cmp.Compare(p.Created, other.Created), bytes.Compare(p.ID[:], other.ID[:]))
}

// placeSize is the size of a place without its key, in bytes.
const placeSize = 8 + 16

// text returns the cursor for callers. It is valid for the question.
func (p Place) text(q question) string {
	raw := binary.BigEndian.AppendUint64(nil, uint64(p.Created))
	return domain.EncodeCursor(q.name(), append(append(raw, p.ID[:]...), p.Key...))
}

var errPlace = errors.New("expected the next_cursor of the same filters and sort, unchanged")

// ReadCursor parses a cursor, which must come from an answer to the same query. Only its limit may differ.
func (q Query) ReadCursor(text string) (Place, error) {
	q.Filter = q.Filter.normalize()
	raw, ok := domain.DecodeCursor(q.question().name(), text)
	if !ok || len(raw) < placeSize || len(raw) > placeSize+longestTitle {
		return Place{}, errPlace
	}
	return Place{Key: string(raw[placeSize:]), Created: int64(binary.BigEndian.Uint64(raw)), ID: uuid.UUID(raw[8:placeSize])}, nil
}
