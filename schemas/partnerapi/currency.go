package partnerapi

// CurrencyDecimals returns the decimals of a currency in ISO 4217: 2 for all currencies except the
// few listed here.
//
// CLDR, the source of most currency libraries, rounds some currencies as people write them (IQD to
// 0, where ISO 4217 has 3). Amounts of the contract are not counted that way.
func CurrencyDecimals(code string) int {
	switch code {
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF":
		return 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	case "CLF", "UYW":
		return 4
	default:
		return DefaultCurrencyPrecision
	}
}
