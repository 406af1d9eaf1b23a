package seed

// Values of the option sets the sample uses by meaning.
const (
	giftPlain     = 730850000
	giftPledge    = 730850001
	giftBequest   = 730850002
	giftInsurance = 730850003
	giftIRA       = 730850004
	giftNonGift   = 730850005
	giftGrant     = 100000000
	giftInterfund = 100000001

	payCheck     = 730850000
	payCash      = 730850001
	payCard      = 730850002
	payACH       = 730850003
	payWire      = 730850004
	payStock     = 730850005
	payInKind    = 730850006
	payAccrual   = 730850007
	payOnline    = 100000000
	payTransfer  = 100000002
	payInterfund = 100000003
	payScheduled = 100000010

	methodAppeal      = 730850001
	methodEvent       = 730850002
	methodMatching    = 730850003
	methodPersonal    = 730850005
	methodUnsolicited = 730850006

	recurMonthly   = 730850003
	recurQuarterly = 730850004
	recurAnnual    = 730850006

	reversalVoid     = 730850000
	reversalRefund   = 730850002
	reversalPartial  = 730850003
	reversalReturned = 100000000

	feePercent        = 730850000
	feeFlat           = 730850001
	feeFlatAndPercent = 730850002
	feeManual         = 730850003

	fundAdvised     = 730850000
	fundDesignated  = 730850001
	fundAgency      = 730850002
	fundGeneral     = 730850003
	fundInterest    = 730850004
	fundProject     = 730850005
	fundScholarship = 730850006

	classOperating    = 730850000
	classEndowment    = 730850001
	classNonpermanent = 730850002

	requestDraft     = 730850000
	requestSubmitted = 730850001
	requestReview    = 730850002
	requestPending   = 730850003
	requestApproved  = 730850004
	requestDenied    = 730850005
	requestWithdrawn = 730850006
	requestRescinded = 100000000
	requestClosed    = 100000001

	typeGrant          = 730850000
	typeScholarship    = 730850001
	typeRecommendation = 730850002
	typeInterfund      = 100000000

	rowPayment = 730850000

	disburseCheck     = 730850000
	disburseACH       = 730850001
	disburseWire      = 730850002
	disburseNoncash   = 730850004
	disburseInterfund = 730850005
	disburseSchool    = 100000001

	stateInactive = 1
)

// requirementTypes are the kinds of requirement a grant may carry.
var requirementTypes = []int64{730850001, 730850002, 730850003, 730850004, 730850005, 730850006, 730850007, 100000000, 100000001}
