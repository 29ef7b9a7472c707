package api

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/marketplace/booking"
)

// keyHeader names a request, so that it is done once however often it is sent.
const keyHeader = "Idempotency-Key"

// longestKey bounds a key, in bytes.
const longestKey = 200

// once does what makes a booking, and answers. With a key it is done once: the same
// answer is given again, to the same body. returns says that there is a key, so that
// whoever has gone may come back.
func (a *API) once(w http.ResponseWriter, r *http.Request, account uuid.UUID, body []byte, do func(id uuid.UUID, returns bool) (int, any, error)) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	key := r.Header.Get(keyHeader)
	if key == "" {
		status, data, err := do(id, false)
		if err != nil {
			return err
		}
		return writeData(w, status, data)
	}
	if len(key) > longestKey || marketplace.CheckText(key, "headervalue") != "" {
		return &marketplace.Error{Code: marketplace.Invalid, Message: "the request is not as it should be", Details: []string{keyHeader + ": want at most 200 printable ASCII characters"}}
	}
	before, err := a.bookings.Claim(r.Context(), booking.Key{Account: account, Key: key, Body: sha256.Sum256(body), Booking: id})
	if err != nil {
		return err
	}
	if before.Answer != nil {
		return writeRaw(w, before.Status, before.Answer)
	}
	status, data, failed := do(before.Booking, true)
	answer, status := answerOf(status, data, failed)
	if err := a.bookings.Settled(r.Context(), booking.Key{Account: account, Key: key, Booking: before.Booking, Status: status, Answer: answer}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return writeRaw(w, status, answer)
}

// answerOf is the answer to be given again; none where nothing was done, so that the
// request may be sent anew.
func answerOf(status int, data any, failed error) ([]byte, int) {
	var body any = success{Success: 1, Data: data}
	switch marketplace.CodeOf(failed) {
	case marketplace.Conflict, marketplace.PartnerFailed, marketplace.PartnerLate:
		p := problemOf(failed)
		body, status = p, p.Code
	default:
		if failed != nil {
			return nil, 0
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, 0
	}
	return text, status
}
