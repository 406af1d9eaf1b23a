package rules

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// Schedule says how a pledge is to be paid: installments from the first date on, either a number of them or of an amount each.
type Schedule struct {
	First     int64 // days
	Frequency int64 // a value of svc_recurrence
	Count     int   // 0: by Amount
	Amount    int64 // cents
}

// recurrences says how far apart installments are; a value that is absent has no rhythm.
var recurrences = map[int64]struct{ days, months int }{
	730850000: {}, // one time
	730850001: {days: 7}, 730850002: {days: 14},
	730850003: {months: 1}, 730850004: {months: 3}, 730850005: {months: 6}, 730850006: {months: 12},
}

// oneTime is the recurrence without a second date.
const oneTime = 730850000

// maxInstallments bounds a schedule.
const maxInstallments = 600

// SchedulePledgePayments creates the scheduled payments of what a pledge still owes. Cents that do not divide go where the
// setting pledge.installment_rounding says; the due date goes into svc_checkdate.
func SchedulePledgePayments(env Env, gift value.GUID, s Schedule) error {
	t := env.Model().Table("svc_gift")
	row, err := env.Lock(t, gift)
	if err != nil {
		return err
	}
	if row == nil {
		return fault.NotFound(t.Name, gift.String())
	}
	if !env.Settings().IsPledge(row.Value("svc_gifttype").Int()) {
		return fault.Rule(t.Name, "SchedulePledgePayments", "svc_gifttype", "The gift %s is not a pledge.", gift)
	}
	amounts, err := s.amounts(row.Value("svc_balance").Int(), env.Settings().InstallmentRound)
	if err != nil {
		return err
	}
	payment := env.Model().Table("svc_giftpayment")
	for i, amount := range amounts {
		_, err := env.Create(payment, []query.Assign{
			set(payment, "svc_giftnumber", value.ID(gift)), set(payment, "svc_paymenttype", value.Int(payScheduled)),
			set(payment, "svc_amount", value.Money(amount)), set(payment, "svc_checkdate", value.Date(s.date(i))),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// date returns the due date of an installment: months keep the day of the first date, or take the last the month has.
func (s Schedule) date(i int) int64 {
	step := recurrences[s.Frequency]
	_, _, day := value.Civil(s.First)
	if step.months > 0 {
		return addMonths(s.First, i*step.months, day)
	}
	return s.First + int64(i*step.days)
}

// amounts divides what is owed into installments.
func (s Schedule) amounts(owed int64, rounding settings.Rounding) ([]int64, error) {
	if _, ok := recurrences[s.Frequency]; !ok {
		return nil, refuseSchedule("Frequency", "The value %d of 'Frequency' is not a rhythm of svc_recurrence.", s.Frequency)
	}
	if owed <= 0 {
		return nil, refuseSchedule("svc_balance", "Nothing is owed: the balance is %s.", value.Money(owed))
	}
	count := int64(s.Count)
	switch {
	case s.Count > 0 && s.Amount > 0, s.Count <= 0 && s.Amount <= 0:
		return nil, refuseSchedule("Count", "Either 'Count' or 'Amount' must be given, above 0.")
	case s.Amount > 0:
		count = (owed + s.Amount - 1) / s.Amount
	}
	if count > maxInstallments || count > owed || s.Frequency == oneTime && count > 1 {
		return nil, refuseSchedule("Count", "%d installments of %s are too many.", count, value.Money(owed))
	}
	if s.Amount > 0 {
		return byAmount(owed, s.Amount, count), nil
	}
	return byCount(owed, count, rounding), nil
}

func refuseSchedule(column, format string, args ...any) error {
	return fault.Rule("svc_gift", "SchedulePledgePayments", column, format, args...)
}

// byAmount gives each installment the amount and the last one the rest.
func byAmount(owed, amount, count int64) []int64 {
	out := make([]int64, count)
	for i := range out {
		out[i] = min(amount, owed)
		owed -= out[i]
	}
	return out
}

// byCount divides evenly and puts leftover cents where the rounding says.
func byCount(owed, count int64, rounding settings.Rounding) []int64 {
	each, left := owed/count, owed%count
	out := make([]int64, count)
	for i := range out {
		out[i] = each
	}
	switch rounding {
	case settings.AllBegin:
		out[0] += left
	case settings.AllEnd:
		out[count-1] += left
	case settings.SpreadEnd:
		for i := count - left; i < count; i++ {
			out[i]++
		}
	default:
		for i := range left {
			out[i]++
		}
	}
	return out
}
