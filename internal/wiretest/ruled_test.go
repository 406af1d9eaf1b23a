package wiretest_test

import "fmt"

// ruled says what columns are tried with where rules bind them to other columns or rows. A name without a table stands for the column
// of every table; nothing to try is a column whose rules conversations hold.
var ruled = map[string]func(*world) []sample{
	"transactioncurrencyid": func(w *world) []sample {
		return []sample{{send: "/transactioncurrencies(" + w.currency + ")", want: w.currency}}
	},
	"list.query":                         nothing,
	"svc_gift.svc_totalgift":             nothing,
	"svc_giftpayment.svc_amount":         amounts,
	"svc_giftpayment.svc_reversalamount": func(*world) []sample { return []sample{exact("0.01", "0.01"), exact("0.02", "0.02")} },
	"svc_interfundgrants.svc_grantfund":  func(w *world) []sample { return []sample{w.pointing("svc_fund", 3)} },
	"svc_interfundgrants.svc_giftfund":   func(w *world) []sample { return []sample{w.pointing("svc_fund", 2)} },
	"businessunit.parentbusinessunitid":  func(w *world) []sample { return []sample{w.pointing("businessunit", 2), w.pointing("businessunit", 0)} },
}

func nothing(*world) []sample { return nil }

// amounts are of one sign, as the splits of a gift must be.
func amounts(*world) []sample {
	return []sample{exact("1234.5", "1234.50"), exact("0.05", "0.05"), exact("12345678.005", "12345678.01")}
}

func init() {
	for n := 1; n <= 12; n++ {
		ruled[fmt.Sprintf("svc_gift.svc_amount%d", n)] = amounts
		needed[fmt.Sprintf("svc_gift.svc_fund%d", n)] = true
	}
}

// needed are the columns a row cannot live without, and those the service fills when they are empty.
var needed = map[string]bool{
	"ownerid":                              true,
	"account.name":                         true,
	"contact.lastname":                     true,
	"svc_donor.svc_formaldefault":          true,
	"svc_fund.svc_fundname":                true,
	"svc_fund.svc_fundclass":               true,
	"svc_fund.svc_fundtype":                true,
	"svc_fund.svc_department":              true,
	"svc_gift.svc_giftdate":                true,
	"svc_gift.svc_gifttype":                true,
	"svc_gift.svc_giftrange":               true,
	"svc_gift.svc_donor":                   true,
	"svc_giftpayment.svc_giftnumber":       true,
	"svc_requestpayment.svc_requestlookup": true,
}
