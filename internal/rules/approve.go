package rules

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/value"
)

// ApproveRequest grants a request: it sets the status, the original grant and the decision date if there is none, and creates
// one payment for the amount. A zero amount means the recommended one, else the requested one.
func ApproveRequest(env Env, request value.GUID, amount int64) error {
	t := env.Model().Table("svc_request")
	row, err := env.Lock(t, request)
	if err != nil {
		return err
	}
	if row == nil {
		return fault.NotFound(t.Name, request.String())
	}
	if row.Value("svc_requeststatus").Int() == requestApproved {
		return fault.Rule(t.Name, "ApproveRequest", "svc_requeststatus", "The request %s is already approved.", request)
	}
	for _, name := range []string{"svc_recommendedamount", "svc_requestedamount"} {
		if amount == 0 {
			amount = row.Value(name).Int()
		}
	}
	if amount <= 0 {
		return fault.Rule(t.Name, "ApproveRequest", "svc_originalgrantamount", "The amount %s of a grant must be above 0.", value.Money(amount))
	}
	changes := []query.Assign{set(t, "svc_requeststatus", value.Int(requestApproved)), set(t, "svc_originalgrantamount", value.Money(amount))}
	if row.Value("svc_decisiondate").IsNull() {
		changes = append(changes, set(t, "svc_decisiondate", value.Time(env.Now())))
	}
	if err := env.Update(t, request, changes); err != nil {
		return err
	}
	payment := env.Model().Table("svc_requestpayment")
	_, err = env.Create(payment, []query.Assign{
		set(payment, "svc_requestlookup", value.ID(request)), set(payment, "svc_amount", value.Money(amount)),
		set(payment, "svc_requirementtype", value.Int(requirementPayment)),
	})
	return err
}
