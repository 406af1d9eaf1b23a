package rules

import (
	"almoner/internal/fault"
)

var interfundRules = []Rule{
	{
		Name: "interfund.funds", Table: "svc_interfundgrants", On: OnSave, Do: (*Books).checkInterfund,
		Text:    "An interfund transfer goes from one fund to another, never to the same.",
		Example: "From fund 7 to fund 7 is refused.",
	},
	{
		Name: "interfund.number", Table: "svc_interfundgrants", On: OnCreate, Do: (*Books).numberInterfund,
		Text:    "An interfund transfer without a number gets the next one.",
		Example: "The first transfer becomes 0000001.",
	},
}

func (b *Books) checkInterfund(w *Write) error {
	from, to := w.New.Value("svc_grantfund"), w.New.Value("svc_giftfund")
	if !from.IsNull() && from == to {
		return fault.Rule("svc_interfundgrants", "interfund.funds", "svc_giftfund", "The value %s of 'svc_giftfund' must differ from 'svc_grantfund'.", to)
	}
	return nil
}

func (b *Books) numberInterfund(w *Write) error { return b.number(w, "svc_interfundno", "") }
