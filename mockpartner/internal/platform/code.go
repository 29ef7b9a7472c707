package platform

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
)

// issue returns a new code or booking id. The running number in it makes it
// unique (RSV-4, CNF-2), the hash of seed and number makes it look the part.
func (l *lifecycle) issue(prefix string) string {
	l.stock.state.issued++
	number := l.stock.state.issued
	digest := l.stock.seed.digest("code", number)
	plain := fmt.Sprintf("%s-%s-%d", prefix, base32.StdEncoding.EncodeToString(digest[:5]), number)
	if l.stock.conduct.Load().Policy.Codes != catalog.AwkwardCodes {
		return plain
	}
	if number == dotsNumber {
		return ".."
	}
	shape := awkwardShapes[number%uint64(len(awkwardShapes))]
	return strings.Replace(shape, "*", plain, 1)
}

// dotsNumber is the number of the one awkward code that is "..".
const dotsNumber = 3

// awkwardShapes are what clients that do not escape a code as one path segment
// fall over (RSV-6); * stands for the plain code.
var awkwardShapes = [...]string{
	"*/cancel",
	"a+b *",
	"100%2F*%",
	"Größe é 東京 *",
	"../*?x=1&y#z;",
	"*\"'\\<>",
}

// uuid returns the RFC 9562 UUID (version 8, of our own making) of that number.
func (d seed) uuid(number uint64) string {
	id := d.digest("uuid", number)
	id[6] = id[6]&0x0F | 0x80
	id[8] = id[8]&0x3F | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

func (d seed) digest(purpose string, number uint64) [sha256.Size]byte {
	text := binary.BigEndian.AppendUint64([]byte(purpose), uint64(d))
	return sha256.Sum256(binary.BigEndian.AppendUint64(text, number))
}

// issueCode returns the code of a new hold: one that was never used, unless a
// quirk gives that of an ended hold out again.
func (l *lifecycle) issueCode(h *Hold) string {
	code := l.issue("R")
	if l.stock.reuses(ReuseCodes, h.slot, h.CreatedAt) {
		if used, ok := l.stock.state.lastEnded(func(ended *Hold) bool { return ended.State != Held }); ok {
			return used.Code
		}
	}
	return code
}

// issueBookingID returns the id of a new booking: one that was never used, unless
// a quirk gives that of a cancelled booking out again.
func (l *lifecycle) issueBookingID(h *Hold, now time.Time) string {
	id := l.issue("B")
	if l.stock.reuses(ReuseBookingIDs, h.slot, now) {
		if used, ok := l.stock.state.lastEnded(func(ended *Hold) bool {
			booking, ok := l.stock.state.bookings.Get(ended.BookingID)
			return ok && booking.State == Cancelled
		}); ok {
			return used.BookingID
		}
	}
	return id
}
