package rules

import (
	"almoner/internal/value"
)

var ledgerRules = []Rule{
	{
		Name: "ledger.type", Table: "svc_account", On: OnCreate, Do: (*Books).setAccountType,
		Text:    "A ledger account without a type gets it from the first digit of its number: 1 asset, 2 liability, 3 net assets, 4 revenue, 5 expense.",
		Example: "Account 4010 is Revenue.",
	},
}

// accountTypes are the values of svc_accounttype by first digit.
var accountTypes = map[byte]int64{'1': 730850000, '2': 730850001, '3': 730850002, '4': 730850003, '5': 730850004}

func (b *Books) setAccountType(w *Write) error {
	number := w.New.Value("svc_accountnum").Text()
	if !w.New.Value("svc_accounttype").IsNull() || w.Has("svc_accounttype") || number == "" {
		return nil
	}
	if kind, ok := accountTypes[number[0]]; ok {
		w.New.Put("svc_accounttype", value.Int(kind))
	}
	return nil
}
