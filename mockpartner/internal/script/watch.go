package script

import (
	"bytes"
	"context"
	"time"
)

// WatchEvery is how often Watch looks, unless told otherwise.
const WatchEvery = 500 * time.Millisecond

// Watch reads a scenario file again whenever what it holds is no longer what it
// held, until the context ends. It tells changed the new scenario, or what is
// wrong with it. It compares contents and not times, which editors and mounted
// volumes play tricks with.
func Watch(ctx context.Context, file File, every time.Duration, changed func(*Scenario, error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	missing := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now, err := Open(file.Path)
		switch {
		case err != nil && err.Error() != missing: // told once, not at every look
			missing = err.Error()
			changed(nil, err)
		case err == nil && (missing != "" || !bytes.Equal(now.text, file.text)):
			missing, file = "", now
			changed(file.Scenario())
		}
	}
}
