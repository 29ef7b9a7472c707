package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// newJob is a job to insert.
type newJob struct {
	args    river.JobArgs
	at      time.Time // the earliest time; zero: immediately
	hastens bool      // an existing job that waits for a later time becomes due now
}

// InsertJobs inserts jobs. An existing unique job is left unchanged.
func (s *Store) InsertJobs(ctx context.Context, jobs ...river.JobArgs) error {
	return s.transaction(ctx, func(tx pgx.Tx) error {
		queued := make([]newJob, len(jobs))
		for i, args := range jobs {
			queued[i] = newJob{args: args}
		}
		return s.insertJobs(ctx, tx, queued...)
	})
}

// insertJobs inserts jobs in the transaction of the change that requires them.
func (d database) insertJobs(ctx context.Context, tx pgx.Tx, jobs ...newJob) error {
	if len(jobs) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(jobs))
	for i, job := range jobs {
		params[i] = river.InsertManyParams{Args: job.args, InsertOpts: &river.InsertOpts{ScheduledAt: job.at}}
	}
	inserted, err := d.queue.InsertManyTx(ctx, tx, params)
	if err != nil {
		return err
	}
	for i, there := range inserted {
		if !there.UniqueSkippedAsDuplicate || !jobs[i].hastens {
			continue
		}
		if _, err := d.hasten.JobRetryTx(ctx, tx, there.Job.ID); err != nil {
			return err
		}
	}
	return nil
}
