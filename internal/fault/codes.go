package fault

import "fmt"

// Code is a published Dataverse error code.
type Code uint32

// String prints the code as clients compare it: 0x and eight lower-case digits. The zero Code prints as nothing, which
// is what the platform sends where no resource matches a URL.
func (c Code) String() string {
	if c == 0 {
		return ""
	}
	return fmt.Sprintf("0x%08x", uint32(c))
}

// The codes the service raises, under their published names.
const (
	NoResource                Code = 0          // no HTTP resource matches the URI
	RequestIsNotAuthenticated Code = 0x80044302 // no bearer token
	InvalidAuthTicket         Code = 0x8004a100 // bad signature, audience, issuer
	ExpiredAuthTicket         Code = 0x8004a101
	UserNotMember             Code = 0x80072560 // token valid, user unknown
	UserDisabled              Code = 0x80040225
	UserHasNoRoles            Code = 0x80042f09
	PrivilegeDenied           Code = 0x80040220 // table privilege missing
	AccessDenied              Code = 0x80048306 // row right missing
	GenericAccessDenied       Code = 0x80048405
	CallerIDInvalid           Code = 0x80048d1a
	AssigneeLacksPrivileges   Code = 0x80040231
	SecuredColumnUpdate       Code = 0x8004f507
	BadRequest                Code = 0x80060888 // URL, query option, segment, method
	ObjectDoesNotExist        Code = 0x80040217
	EntityKeyNotFound         Code = 0x80060891
	CannotDeleteAssociated    Code = 0x80040227
	TooManyLinks              Code = 0x8004430d
	TooManyConditions         Code = 0x8004430c
	AggregateLimit            Code = 0x8004e023
	NotTracked                Code = 0x80072491
	ExpiredVersionStamp       Code = 0x80044352
	BadPagingCookie           Code = 0x80041129
	BadPayload                Code = 0x80048d19 // JSON body, type, name, bind
	TextTooLong               Code = 0x80044331
	BadOption                 Code = 0x8004431a
	IntegerRange              Code = 0x8004432f
	DecimalRange              Code = 0x80044330
	DateRange                 Code = 0x80040239
	BadCharacters             Code = 0x80040278
	BadStatus                 Code = 0x80048408
	BadTransition             Code = 0x8004f00e
	RequiredFieldMissing      Code = 0x80040200
	InvalidArgument           Code = 0x80040203
	RuleRefused               Code = 0x80040265 // a business rule
	NotUpdateable             Code = 0x80041100 // writing a _base column
	VersionMismatch           Code = 0x80060882
	NoConcurrency             Code = 0x8006088d
	DuplicateRecord           Code = 0x80040237
	DuplicateDetected         Code = 0x80040333
	HierarchyLoop             Code = 0x80040387
	AccountLoop               Code = 0x80040507
	FetchMalformed            Code = 0x80040303
	FetchUnknownEntity        Code = 0x80041102
	FetchUnknownAttribute     Code = 0x80041103
	FetchLinkTypeMismatch     Code = 0x80041104
	FetchPlainInAggregate     Code = 0x80041107
	FetchBadValue             Code = 0x80041139
	FetchBadX                 Code = 0x8004110c
	FetchBadDistinct          Code = 0x80041115
	FetchBadNoLock            Code = 0x80041118
	FetchBadDescending        Code = 0x80041119
	FetchUnknownOperator      Code = 0x80041120
	FetchEntityMismatch       Code = 0x80041128
	FetchBadGroupBy           Code = 0x8004112e
	FetchDuplicateAlias       Code = 0x80041130
	FetchOrderByAttribute     Code = 0x80041131
	FetchOrderNeedsAlias      Code = 0x80041134
	OperatorUnfit             Code = 0x8004034b
	ListLocked                Code = 0x80040302
	ListDynamic               Code = 0x8004f701
	ListQueryOnStatic         Code = 0x8004f702
	ListLockOnDynamic         Code = 0x8004f703
	ListCopyStatic            Code = 0x8004f704
	ListWrongMember           Code = 0x80040301
	ObjectInactive            Code = 0x80040230
	NoRelationship            Code = 0x80040236
	CurrencyNull              Code = 0x80048cfb
	CurrencyInvalid           Code = 0x80048cfc
	BaseOverflow              Code = 0x80048cec
	BaseUnderflow             Code = 0x80048ceb
	MergeInactive             Code = 0x80045304
	MergeIdentical            Code = 0x80045305
	MergeNotAllowed           Code = 0x80045301
	OwnerDisabled             Code = 0x8004022b
	OwnerAccessTeam           Code = 0x80048340
	OwnerInvalid              Code = 0x80040229
	ShareWithOwner            Code = 0x80040214
	ShareOrganizationOwned    Code = 0x8004021f
	BodyTooLarge              Code = 0x8004418a
	RateExceeded              Code = 0x80072322
	TimeExceeded              Code = 0x80072321
	ConcurrencyExceeded       Code = 0x80072326
	QueryTimeout              Code = 0x80044151
	GenericSQL                Code = 0x80044150
	Unexpected                Code = 0x80040216
	NotImplemented            Code = 0x80040219
	ConcurrentOperation       Code = 0x80071154
)

// Status returns the HTTP status the code is published with; 400 where the table below says nothing.
func (c Code) Status() int {
	if s, ok := statuses[c]; ok {
		return s
	}
	return 400
}

var statuses = map[Code]int{
	NoResource: 404,

	RequestIsNotAuthenticated: 401, InvalidAuthTicket: 401, ExpiredAuthTicket: 401,

	UserNotMember: 403, UserDisabled: 403, UserHasNoRoles: 403, PrivilegeDenied: 403, AccessDenied: 403,
	GenericAccessDenied: 403, AssigneeLacksPrivileges: 403, SecuredColumnUpdate: 403,

	ObjectDoesNotExist: 404, EntityKeyNotFound: 404,

	CannotDeleteAssociated: 405,

	VersionMismatch: 412, DuplicateRecord: 412, DuplicateDetected: 412,

	BodyTooLarge: 413,

	RateExceeded: 429, TimeExceeded: 429, ConcurrencyExceeded: 429,

	QueryTimeout: 500, GenericSQL: 500, Unexpected: 500, NotImplemented: 501, ConcurrentOperation: 503,
}
