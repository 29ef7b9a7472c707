package storefront

import (
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
)

// priceBook knows resellers' prices under some terms. Activities share prices, so that most are
// computed once. It is safe for concurrent use.
type priceBook struct {
	terms *domain.Terms
	mu    sync.RWMutex
	known map[priceKey]price
}

// mostPrices limits the prices of a book, to about 30 MB.
const mostPrices = 1 << 18

type priceKey struct {
	base, percent string // of offers and listing
	currency      domain.Currency
}

// price is an amount in the smallest unit of a currency, as far as an int64 reaches.
type price int64

// noPrice stands for a missing exchange rate.
const noPrice price = math.MinInt64

func newPriceBook(terms *domain.Terms) *priceBook {
	return &priceBook{terms: terms, known: map[priceKey]price{}}
}

// find returns the price for a base of an activity in a currency.
func (b *priceBook) find(base string, of *listing, currency domain.Currency) price {
	key := priceKey{base, of.percent, currency}
	b.mu.RLock()
	found, known := b.known[key]
	b.mu.RUnlock()
	if known {
		return found
	}
	found = noPrice
	exact, err := newQuote(*b.terms, readPercentages(of.percent), currency).price(inCurrency(decodePrices(base), currency))
	if err == nil {
		found = smallestUnits(exact.Decimal, currency)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.known) == mostPrices {
		clear(b.known)
	}
	b.known[key] = found
	return found
}

// The range of prices.
var leastPrice, mostPrice = decimal.NewFromInt(-math.MaxInt64), decimal.NewFromInt(math.MaxInt64)

// smallestUnits returns an amount without a fraction of the currency's smallest unit.
func smallestUnits(amount decimal.Decimal, currency domain.Currency) price {
	shifted := amount.Shift(currency.Decimals())
	return price(decimal.Min(decimal.Max(shifted, leastPrice), mostPrice).IntPart())
}

// key returns a text that orders prices. noPrice is last.
func (p price) key() string {
	if p == noPrice {
		p = math.MaxInt64
	}
	var text [8]byte
	binary.BigEndian.PutUint64(text[:], uint64(p)^1<<63)
	return string(text[:])
}

// encodePercentages returns an activity's markup and discount as a text; "" without either.
func encodePercentages(markup, discount string) string {
	if markup == "" && discount == "" {
		return ""
	}
	return markup + "/" + discount
}

func readPercentages(text string) (p percentages) {
	markup, discount, _ := strings.Cut(text, "/")
	p.markup, _ = decimal.NewFromString(markup) // 0 for ""
	p.discount, _ = decimal.NewFromString(discount)
	return p
}
