package worker

import (
	"context"
	"errors"
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

// handBack gives a job back when the worker is told to stop: at once, for another
// replica, and it does not count as a try.
type handBack struct{ river.MiddlewareDefaults }

// Work does a job.
func (*handBack) Work(ctx context.Context, _ *rivertype.JobRow, do func(context.Context) error) error {
	err := do(ctx)
	if err != nil && ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return river.JobSnooze(0)
	}
	return err
}
