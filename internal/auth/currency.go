package auth

// currency is what a base currency is called and how its amounts are marked.
type currency struct{ code, name, symbol string }

var currencies = []currency{
	{"USD", "US Dollar", "$"}, {"EUR", "Euro", "€"}, {"GBP", "Pound Sterling", "£"}, {"CAD", "Canadian Dollar", "$"},
	{"AUD", "Australian Dollar", "$"}, {"NZD", "New Zealand Dollar", "$"}, {"CHF", "Swiss Franc", "CHF"}, {"JPY", "Yen", "¥"},
	{"SEK", "Swedish Krona", "kr"}, {"NOK", "Norwegian Krone", "kr"}, {"DKK", "Danish Krone", "kr"}, {"INR", "Indian Rupee", "₹"},
	{"ZAR", "Rand", "R"}, {"ILS", "New Shekel", "₪"}, {"MXN", "Mexican Peso", "$"}, {"BRL", "Brazilian Real", "R$"},
	{"PLN", "Zloty", "zł"}, {"KRW", "Won", "₩"}, {"CNY", "Yuan Renminbi", "¥"}, {"HKD", "Hong Kong Dollar", "$"}, {"SGD", "Singapore Dollar", "$"},
}

// currencyOf returns the names of a currency; one that is not listed goes by its code.
func currencyOf(code string) currency {
	for _, c := range currencies {
		if c.code == code {
			return c
		}
	}
	return currency{code, code, code}
}
