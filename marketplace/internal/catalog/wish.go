package catalog

import (
	"time"

	"github.com/google/uuid"
)

// Wish asks for a sync of an integration, which a job makes. While one runs, all that
// is asked for is one wish more.
type Wish struct {
	Integration uuid.UUID
	Mode        Mode // a full sync serves a wish for an incremental one as well
	Cause       Cause
	At          time.Time // not before it; zero: at once
}

// SkippedPause is how often the slots of a partner are pulled anew, at the most, while
// its catalog stays the same.
const SkippedPause = 5 * time.Minute
