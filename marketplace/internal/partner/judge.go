package partner

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/marketplace/internal/domain"
)

// judge returns the outcome of a call.
func judge(within context.Context, asked call, r reply) Outcome {
	answered, lost := Unreadable, NotSent
	if r.status/100 != 2 {
		answered = asked.refusal(r.status)
	}
	if r.sent {
		lost = Unanswered
	}
	failed := func(o Outcome, format string, values ...any) Outcome {
		o.Err = domain.Errorf(domain.PartnerFailed, format, values...)
		return o
	}
	what := asked.what()
	switch {
	case packedBadly(r.err):
		return failed(Outcome{Kind: answered, Status: r.status, result: ResultUnreadable}, "the partner's answer to %s is invalid: its Content-Encoding is gzip, but it is not compressed that way", what)
	case errors.Is(r.err, errLarge):
		return failed(Outcome{Kind: answered, Status: r.status, result: ResultUnreadable}, "the partner's answer to %s exceeds %d MiB", what, asked.largest>>20)
	case errors.Is(r.err, errOverdue):
		return Outcome{Kind: lost, Err: domain.Errorf(domain.PartnerLate, "%s was not sent in time", what)}
	case errors.Is(r.err, errCrowded):
		return Outcome{Kind: lost, Err: domain.Errorf(domain.PartnerLate, "the partner's answer to %s exceeds %d MiB, and waited for other large answers until its %s had passed", what, usualAnswer>>20, asked.limit)}
	case r.err != nil && errors.Is(context.Cause(within), errLate):
		return Outcome{Kind: lost, Err: tooLate(asked), result: ResultTimeout}
	case r.err != nil:
		return Outcome{Kind: lost, result: ResultTransport, Err: &domain.Error{
			Code: domain.PartnerFailed, Message: fmt.Sprintf("the partner could not be reached for %s, or the connection was lost", what), Cause: connection.NewFailure(within, r.err),
		}}
	case r.status/100 != 2 || asked.only200 && r.status != http.StatusOK:
		return Outcome{Kind: answered, Status: r.status, Message: words(r.body), result: ResultStatus, Err: &domain.Error{
			Code: domain.PartnerFailed, Message: fmt.Sprintf("the partner answered %s with %d", what, r.status), PartnerStatus: r.status,
		}}
	}
	if asked.read != nil {
		err := asked.read(within, r.body)
		if err != nil && errors.Is(err, context.Cause(within)) {
			return Outcome{Kind: lost, Err: domain.Errorf(domain.PartnerLate, "the partner's answer to %s was not complete within %s", what, asked.limit), result: ResultTimeout}
		}
		if err != nil {
			kind := Unreadable
			if errors.As(err, new(*unstorable)) {
				kind = Unstorable
			}
			return failed(Outcome{Kind: kind, Status: r.status, result: ResultUnreadable}, "the partner's answer to %s is invalid: %w", what, err)
		}
	}
	return Outcome{Kind: Done, Status: r.status, result: ResultOK}
}

// ForOwner returns an error of a call with the cause of a failed connection in its message. It is for
// the integration's owner and operators, not for resellers.
func ForOwner(err error) error {
	var ours *domain.Error
	if errors.As(err, &ours) && errors.As(ours.Cause, new(*connection.Failure)) {
		told := *ours
		told.Message = ours.Error()
		return &told
	}
	return err
}

// packedBadly reports whether an answer could not be decompressed. That is not a fault of the
// connection.
func packedBadly(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}
