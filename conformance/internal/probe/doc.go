// Package probe is the recording HTTP client of the suite. It sends what the
// marketplace would send, waits a little longer than the marketplace would
// wait, so that a late answer is seen and timed, and keeps every exchange as
// evidence: redacted, bounded, and with the curl line that repeats it.
//
// It never follows redirects, never retries, uses no proxy, and reads no more
// of a body than a cap.
package probe
