package client

import (
	"time"
)

// Affiliate calls the API for an affiliate, who refers customers and earns a commission on their
// bookings. It is safe for concurrent use.
type Affiliate struct{ account }

// NewAffiliate returns an affiliate's client. The address is the marketplace's. The credentials
// must be a Password. It makes no call.
func NewAffiliate(marketplace string, credentials Credentials, o Options) (*Affiliate, error) {
	c, err := connect(marketplace, credentials, o)
	if err != nil {
		return nil, err
	}
	return &Affiliate{account{c}}, nil
}

// AffiliateActivity is an activity with the affiliate's own link to it.
type AffiliateActivity struct {
	Activity
	AffiliateURL string `json:"affiliate_url" wire:"null"` // send customers to it; "" if the operator has configured no shop
}

// Activities lists the activities on sale, oldest first.
func (a *Affiliate) Activities(q ActivityQuery) List[AffiliateActivity] {
	return List[AffiliateActivity]{a.c, path("affiliates", "activities"), q.values()}
}

// Commission is an affiliate's earning from one booking.
type Commission struct {
	BookingID  string           `json:"booking_id"`
	Status     CommissionStatus `json:"status"`
	Currency   string           `json:"currency"`
	Amount     Decimal          `json:"amount"`
	AccruedAt  time.Time        `json:"accrued_at"`              // when the partner confirmed
	ReversedAt time.Time        `json:"reversed_at" wire:"null"` // when the booking was cancelled; zero: not reversed
}

// CommissionStatus says whether a commission is due.
type CommissionStatus string

// The two statuses.
const (
	Accrued  CommissionStatus = "accrued"
	Reversed CommissionStatus = "reversed"
)

// Commissions lists the affiliate's commissions, newest first.
func (a *Affiliate) Commissions() List[Commission] {
	return List[Commission]{c: a.c, path: path("affiliates", "commissions")}
}
