package api

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// keyHeader names a request, so that it is done once however often it is sent.
const keyHeader = "Idempotency-Key"

// longestKey bounds a key, in bytes.
const longestKey = 200

// readKey is the key that a request names, with what it was sent for; its Key is ""
// where it names none.
func readKey(r *http.Request, body []byte) (booking.Key, error) {
	k := booking.Key{Key: r.Header.Get(keyHeader), Body: sha256.Sum256(body)}
	if k.Key != "" && (len(k.Key) > longestKey || marketplace.CheckText(k.Key, "headervalue") != "") {
		return k, &marketplace.Error{Code: marketplace.Invalid, Message: "the request is not as it should be", Details: []string{keyHeader + ": want at most 200 printable ASCII characters"}}
	}
	return k, nil
}

// answerOf is what a checkout is answered, and again whenever it is sent again; none
// where nothing was done, so that it may be sent anew.
func answerOf(held booking.Held, failed error) booking.Answer {
	var body any
	status := http.StatusCreated
	switch code := marketplace.CodeOf(failed); {
	case failed == nil:
		body = success{Success: 1, Data: viewOf(held.Booking, held.History)}
	case code == marketplace.Conflict || code == marketplace.PartnerFailed || code == marketplace.PartnerLate:
		p := problemOf(failed)
		body, status = p, p.Code
	default:
		return booking.Answer{}
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // texts and numbers can always be written
	}
	return booking.Answer{Status: status, Body: text}
}
