package worker

import (
	"context"
	"log/slog"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// failures logs what went wrong in jobs. They hold ids, and no secret.
type failures struct{ log *slog.Logger }

// HandleError is told of an error; the job is tried again.
func (f *failures) HandleError(ctx context.Context, failed *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	f.log.ErrorContext(ctx, "job failed", append(described(failed), slog.Any("error", err))...)
	return nil
}

// HandlePanic is told of a panic; the job is tried again.
func (f *failures) HandlePanic(ctx context.Context, failed *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	f.log.ErrorContext(ctx, "job panicked", append(described(failed), slog.Any("panic", value), slog.String("trace", trace))...)
	return nil
}

func described(j *rivertype.JobRow) []any {
	return []any{slog.String("job", j.Kind), slog.Int64("job_id", j.ID), slog.String("args", string(j.EncodedArgs)), slog.Int("attempt", j.Attempt)}
}

// quiet lets only warnings of the queue's own through: of each job that fails it says
// what failures says.
type quiet struct{ slog.Handler }

// Enabled reports whether a record of that level is let through.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}
