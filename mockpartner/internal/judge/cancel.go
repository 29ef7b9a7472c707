package judge

import "net/http"

func cancelRules() []check {
	return []check{
		{Rule{"cancel.repeated", "A cancellation that failed is sent again until it succeeds, or is not supported", "CAN-5, CAN-6",
			"The customer has the money back while the partner still expects the guests."}, "no cancellation was sent", cancelRepeated},
	}
}

func cancelRepeated(s *story, b *bench) {
	for _, calls := range s.cancelled {
		// CAN-6: with one of these the partner says that it has no cancellations.
		s.repeated(b, calls, "cancellation", calls[0].code, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented)
	}
}
