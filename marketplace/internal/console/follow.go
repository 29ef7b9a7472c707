package console

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	// mostFollowed limits the pages that a replica's browsers follow.
	mostFollowed = 100
	// followTime is how long a browser follows a page by default before it connects again.
	followTime = time.Minute
	// syncPause and overviewPause are the pauses between two looks at a state.
	syncPause     = time.Second
	overviewPause = 5 * time.Second
)

// followed sends the content of a page as server-sent events: now, and whenever the state that it shows
// has changed. A browser that reconnects names the state that it has seen.
func followed(show handler, state func(*exchange) (any, error), pause time.Duration) handler {
	return func(x *exchange) error {
		select {
		case x.follows <- struct{}{}:
			defer func() { <-x.follows }()
		default:
			return &refusal{Status: http.StatusServiceUnavailable, Message: "too many pages are followed", retryAfter: "30"}
		}
		ctx, cancel := context.WithTimeout(x.r.Context(), cmp.Or(x.Stream, followTime))
		defer cancel()
		seen := x.r.Header.Get("Last-Event-ID")
		for sent := false; ; sent = true {
			found, err := state(x)
			if err == nil {
				err = x.sendChanged(show, found, &seen, sent)
			}
			if err != nil && !sent {
				return err
			}
			if err != nil || http.NewResponseController(x.w).Flush() != nil {
				return nil // the browser reconnects, and reads the error then
			}
			select {
			case <-ctx.Done():
				return nil
			case <-x.Stopping:
				return nil
			case <-time.After(pause):
			}
		}
	}
}

// sendChanged sends the page if its state is not the one that was seen. Otherwise it sends a comment, which keeps
// proxies from closing the stream.
func (x *exchange) sendChanged(show handler, state any, seen *string, begun bool) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	id := hex.EncodeToString(sum[:6])
	var content []byte
	if id != *seen {
		shown, page := *x, answer{header: http.Header{}}
		shown.streamed = true
		shown.w, shown.cookies.w, shown.r = &page, &page, x.r.Clone(x.r.Context())
		shown.r.Header.Del("Accept-Encoding") // the page is a text among events
		if err := show(&shown); err != nil {
			return err
		}
		content = mainOf(page.body.Bytes())
	}
	if !begun {
		header := x.w.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
	}
	if content == nil {
		_, err = fmt.Fprint(x.w, ":\n\n")
		return err
	}
	*seen = id
	_, err = fmt.Fprintf(x.w, "id: %s\nevent: page\ndata: %s\n\n", id, bytes.ReplaceAll(content, []byte("\n"), []byte("\ndata: ")))
	return err
}

// mainOf returns the main element of a page.
func mainOf(page []byte) []byte {
	from, to := bytes.Index(page, []byte("<main ")), bytes.LastIndex(page, []byte("</main>"))
	if from < 0 || to < from {
		return nil
	}
	return page[from : to+len("</main>")]
}

// overviewState is what the overview shows. Ages of minutes count every half a minute.
func overviewState(x *exchange) (any, error) {
	found, err := x.overview()
	return []any{found, x.Now().Truncate(30 * time.Second)}, err
}

// syncState is the sync that an integration's page shows as running.
func syncState(x *exchange) (any, error) {
	found, err := x.integration()
	return found.Syncing, err
}
