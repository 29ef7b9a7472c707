package partnerapi

// Endpoint names one of the six operations that every partner implements.
type Endpoint string

// The six partner endpoints, in the order in which a booking uses them.
const (
	Products     Endpoint = "products"     // GET /products
	Availability Endpoint = "availability" // POST /availability
	Reserve      Endpoint = "reserve"      // POST /bookings/reserve
	Confirm      Endpoint = "confirm"      // POST /bookings/confirm
	Release      Endpoint = "release"      // DELETE /bookings/{reservationCode}
	Cancel       Endpoint = "cancel"       // POST /bookings/{externalBookingId}/cancel
)

// Endpoints lists all six endpoints, in the order in which a booking uses them.
func Endpoints() []Endpoint {
	return []Endpoint{Products, Availability, Reserve, Confirm, Release, Cancel}
}

// AuthType says how the marketplace presents its key to a partner (AUTH-1).
type AuthType string

const (
	// Bearer sends "Authorization: Bearer <key>". It is the default.
	Bearer AuthType = "bearer"
	// APIKey sends "Authorization: <key>", the key alone.
	APIKey AuthType = "api_key"
)

// AuthTypes lists every valid value.
func AuthTypes() []AuthType { return []AuthType{Bearer, APIKey} }

// Authorization returns the value of the Authorization header that presents key to a partner with
// this auth type.
func (t AuthType) Authorization(key string) string {
	if t == APIKey {
		return key
	}
	return "Bearer " + key
}
