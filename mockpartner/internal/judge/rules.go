package judge

import "partnerkit.dev/internal/callerrules"

// Rule is one duty of the caller.
type Rule = callerrules.Rule

type check struct {
	Rule
	without string // why it is not judged if the record has no such calls
	run     func(*history, *tally)
}

// These are reasons why a rule is not judged if the record has no such calls.
const (
	noExchange     = "there is no exchange"
	noAvailability = "availability was not requested"
	noReserve      = "reserve was not called"
	noConfirm      = "confirm was not called"
)

// rules are all rules, in the order of a booking.
var rules = []check{
	{callerrules.Authorized, noExchange, judgeAuthorization},
	{callerrules.KnownEndpoint, noExchange, judgeEndpoints},
	{callerrules.Escaped, "no release and no cancel was sent", judgeEscaping},
	{callerrules.BodySchema, "no call has a body, or must have one", schema},
	{callerrules.BodyType, "no call has a body", contentType},
	{callerrules.ProductsForm, "GET /products was not called", productsForm},
	{callerrules.CatalogKnown, "no call names a product", catalogKnown},
	{callerrules.Window, noAvailability, window},
	{callerrules.Party, noAvailability, party},
	{callerrules.OncePerSync, "no 60-day window was requested", oncePerSync},
	{callerrules.FreshSlot, noReserve, judgeFreshness},
	{callerrules.Units, noReserve, units},
	{callerrules.ReserveOnce, "no reserve has a resellerReference", reserveOnce},
	{callerrules.Reserved, noConfirm, reservedFirst},
	{callerrules.ConfirmOnce, noConfirm, confirmOnce},
	{callerrules.NotReleased, noConfirm, notReleased},
	{callerrules.ReleaseOwed, "no hold was released, and none expired unconfirmed", judgeOwedReleases},
	{callerrules.ReleaseRepeated, "no release was sent", releaseRepeated},
	{callerrules.ReleaseBody, "no release has a body", releaseBody},
	{callerrules.CancelRepeated, "no cancellation was sent", cancelRepeated},
	{callerrules.Patient, "no caller was kept waiting until a limit", judgePatience},
}
