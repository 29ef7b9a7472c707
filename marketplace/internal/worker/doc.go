// Package worker is what happens by itself: durable jobs, and the schedules that ask
// for them.
//
// Jobs lie in the database, and any replica does them: syncs of catalogs, pulls of
// slots, probes of partners' health, and chores. A job is short, may be done twice
// without harm, and goes on where the last one has ended; so what a killed replica was
// doing is taken over within a minute. One job at a time is about a partner's catalog,
// and one about its slots: a partner that hangs keeps nobody else waiting.
//
// Every replica keeps the schedules, and inserts a job when it is due. The time, rounded
// to the schedule, is one of the job's arguments: it is done once, whoever asks.
package worker
