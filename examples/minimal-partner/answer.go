package main

import (
	"encoding/json"
	"net/http"
)

// refusal is a refusal with a message that the marketplace can show its customer (RSV-5, CNF-5).
type refusal string

func (r refusal) Error() string { return string(r) }

// object is a JSON object of an answer.
type object map[string]any

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only when the caller has gone
}
