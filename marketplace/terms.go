package marketplace

import (
	"time"

	"github.com/shopspring/decimal"
)

// Terms are what every price is made with.
type Terms struct {
	Rates      Rates
	RatesOf    time.Time // the day that they are of; zero where operators have set them by hand
	Fee        decimal.Decimal
	FeeIn      Currency
	Commission decimal.Decimal // percent
}
