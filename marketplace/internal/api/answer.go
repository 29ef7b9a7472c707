package api

import (
	"encoding/json"
	"net/http"
)

// success is the frame of every good answer.
type success struct {
	Success int `json:"success"` // 1
	Data    any `json:"data"`
}

// writeData writes a good answer.
func writeData(w http.ResponseWriter, status int, data any) error {
	return writeJSON(w, status, success{Success: 1, Data: data})
}

func writeJSON(w http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return writeRaw(w, status, text)
}

// writeRaw writes an answer that is JSON already.
func writeRaw(w http.ResponseWriter, status int, text []byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // whoever is gone cannot be told
	return nil
}
