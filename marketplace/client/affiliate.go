package client

import (
	"time"
)

// Affiliate is one who refers customers, and earns by what they book. It is safe for
// concurrent use.
type Affiliate struct{ account }

// NewAffiliate returns the client of an affiliate. The address is the marketplace's, the
// credentials are a Password. Nothing is called yet.
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
	AffiliateURL string `json:"affiliate_url"` // where customers are sent
}

// Activities are the activities that can be sold, the oldest first.
func (a *Affiliate) Activities(q ActivityQuery) List[AffiliateActivity] {
	return List[AffiliateActivity]{a.c, path("affiliates", "activities"), q.values()}
}

// Commission is what an affiliate has earned by a booking.
type Commission struct {
	BookingID  string           `json:"booking_id"`
	Status     CommissionStatus `json:"status"`
	Currency   string           `json:"currency"`
	Amount     Decimal          `json:"amount"`
	AccruedAt  time.Time        `json:"accrued_at"`  // when the partner confirmed
	ReversedAt time.Time        `json:"reversed_at"` // when the booking was cancelled; zero: it was not
}

// CommissionStatus says whether a commission is due.
type CommissionStatus string

// The two statuses.
const (
	Accrued  CommissionStatus = "accrued"
	Reversed CommissionStatus = "reversed"
)

// Commissions are what the affiliate has earned, the newest first.
func (a *Affiliate) Commissions() List[Commission] {
	return List[Commission]{c: a.c, path: path("affiliates", "commissions")}
}
