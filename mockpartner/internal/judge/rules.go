package judge

import "partnerkit.dev/internal/duty"

// Rule is one duty of the caller.
type Rule = duty.Rule

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
	{duty.Authorized, noExchange, authorized},
	{duty.KnownEndpoint, noExchange, known},
	{duty.Escaped, "no release and no cancel was sent", escaped},
	{duty.BodySchema, "no call has a body, or must have one", schema},
	{duty.BodyType, "no call has a body", contentType},
	{duty.ProductsForm, "GET /products was not called", productsForm},
	{duty.CatalogKnown, "no call names a product", catalogKnown},
	{duty.Window, noAvailability, window},
	{duty.Party, noAvailability, party},
	{duty.OncePerSync, "no 60-day window was requested", oncePerSync},
	{duty.FreshSlot, noReserve, fresh},
	{duty.Units, noReserve, units},
	{duty.ReserveOnce, "no reserve has a resellerReference", reserveOnce},
	{duty.Reserved, noConfirm, reservedFirst},
	{duty.ConfirmOnce, noConfirm, confirmOnce},
	{duty.NotReleased, noConfirm, notReleased},
	{duty.ReleaseOwed, "no hold was released, and none expired unconfirmed", owed},
	{duty.ReleaseRepeated, "no release was sent", releaseRepeated},
	{duty.ReleaseBody, "no release has a body", releaseBody},
	{duty.CancelRepeated, "no cancellation was sent", cancelRepeated},
	{duty.Patient, "no caller was kept waiting until a limit", patient},
}
