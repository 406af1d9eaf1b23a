package tables

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"almoner/internal/schema"
	"almoner/internal/value"
)

func model(t *testing.T) *schema.Model {
	t.Helper()
	m, err := Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// printed restates the specification's tables, independently of the files: one table a paragraph, one column an entry
// of name, type and, where printed, length and requirement level.
const printed = `
svc_gift svc_gifts user:
svc_giftnum string 100 app; svc_giftdate date app; svc_totalgift money; svc_amount# money; svc_paid money; svc_balance money;
svc_commitment money; svc_matchamount money; svc_feeamount money; svc_feeamounttotal money; svc_giftadjustment money;
svc_fmv money; svc_fmvtotal money; svc_gifttype choice app; svc_giftmethod choice; svc_giftpaymenttype choice app;
svc_giftrange choice; svc_recurrence choice; svc_estpledgepaydate# date; svc_donor lookup; svc_matchingdonor lookup;
svc_matchinggift lookup; svc_fund# lookup; svc_primarydonorcontact lookup; svc_secondarydonorcontact lookup; svc_payor lookup;
svc_memorialcontact lookup; svc_campaign lookup; svc_campaignactivity lookup; svc_interfundrequest lookup; svc_event lookup;
svc_proposal lookup; svc_portaldonatetransaction lookup; svc_stockcompany string; svc_stocksymbol string; svc_stockdate datetime;
svc_shares string; svc_stockhigh money; svc_stocklow money; svc_stockvaluation money; svc_giftanonymous boolean;
svc_formalacknowledgement boolean; svc_memorialnotesent boolean; svc_honor string; svc_memory string; svc_memorialcomment memo;
svc_purpose string; svc_check string; svc_checkdate date; svc_dateacknowledged datetime; svc_authorizetransactionid string

svc_giftpayment svc_giftpayments organization:
svc_amount money rec; svc_check string 100; svc_checkdate date; svc_paymenttype choice; svc_postingdate datetime;
svc_depositdate datetime; svc_cleardate datetime; svc_glmemo string 250; svc_thankyoudate datetime; svc_pledgepaid boolean;
svc_pledgepaymentapplied datetime; svc_stockcompany string; svc_stocksymbol string; svc_stockdate datetime; svc_stockhigh money;
svc_stocklow money; svc_stockvaluation money; svc_noncashdescription string 500; svc_noncashdeterminationmethod string 500;
svc_folio string 40; svc_foliogoerortext string 2000; svc_foliochangestatus string 50; svc_feeamount money; svc_feeamount2 money;
svc_feeamount3 money; svc_feeamount4 money; svc_giftfee lookup; svc_giftfee2 lookup; svc_giftfee3 lookup; svc_giftfee4 lookup;
svc_giftnumber lookup app; svc_donor lookup; svc_fund lookup; svc_account lookup; svc_depositto lookup; svc_depositaccount lookup;
svc_department lookup; svc_primarycontact lookup; svc_payor lookup; svc_donorconstituent lookup;
svc_paymentnum string 100; svc_netamount money; svc_reversaltype choice; svc_reversaldate datetime; svc_reversalamount money

svc_requestpayment svc_requestpayments user:
svc_paymentnum string 100 rec; svc_amount money rec; svc_netamount money; svc_paymentdate datetime; svc_estimatedgrantpaydate datetime;
svc_requirementdue datetime; svc_postingdate datetime; svc_cleardate datetime; svc_checknumber string 50; svc_paymentsent datetime;
svc_requirementtype choice; svc_disbursementtype choice; svc_anonymous boolean; svc_noncash boolean; svc_noncashdescription string 400;
svc_noncashvaluation choice; svc_glmemo string 250; svc_memo string 250; svc_paymentnote string 2000; svc_billitemid string;
svc_bankaccountname string; svc_folio string; svc_foliogoerortext string; svc_requestlookup lookup app; svc_fund lookup;
svc_account lookup; svc_payableaccount lookup; svc_paymentaccount lookup; svc_payee lookup; svc_requestapplicant lookup;
svc_requestcontact lookup; svc_fundprimarydonor lookup; svc_function lookup; svc_department lookup;
svc_paymentrequirementlettertemplate lookup; svc_requirementfulfilled datetime

svc_fund svc_funds organization:
svc_fundname string 100 app; svc_formalfundname string 250; svc_fundcode string 20 rec; svc_fundclass choice app; svc_fundtype choice app;
svc_fundinstrument choice; svc_endowed boolean; svc_established date; svc_dateretired date; svc_restrictedthrough datetime;
svc_netassets money; svc_earnings money; svc_spendable money; svc_spendableamount money; svc_initialamount money; svc_historic money;
svc_giftspaid money; svc_giftspending money; svc_grantspaid money; svc_grantspending money; svc_totalgivingthisyear money;
svc_totalgivinglastyear money; svc_balancesupdated datetime; svc_spendpercent float; svc_feeamount money; svc_feepercent float;
svc_feecalculationbasis boolean; svc_paymentfrequency choice; svc_numberofpayments integer; svc_firstpaydate datetime;
svc_portaldonateenabled boolean; svc_portaldonatetitleslug string; svc_portalfundspendable money;
svc_hidespendablebalanceinportalfund boolean; svc_portalfundignorespendblelimit boolean; svc_purpose memo 2000; svc_notes memo 2000;
svc_comments memo 2000; svc_successionplan memo 2000; svc_annualyearbook memo 2000; svc_acknowledgementcomment memo 2000;
svc_handlingnote string; svc_primarydonor lookup; svc_primaryfundcontact lookup; svc_department lookup app; svc_giftdefaultaccount lookup;
svc_nongiftdefaultaccount lookup; svc_fundgroup lookup; svc_fundstatementformat lookup; svc_foundationstaffcontact lookup;
svc_parent lookup; svc_alternatefundfeefund lookup; svc_alternatejiafund lookup; svc_alternatespendablefund lookup; svc_anonymity choice

svc_donor svc_donors organization:
svc_formaldefault string 160 app; svc_donor string 10; svc_informalgreeting string 100 rec; svc_sortby string 100;
svc_donortype boolean app; svc_addresstouse boolean rec; svc_donor_street1 string 250; svc_donor_street2 string 250;
svc_donor_city string 80; svc_donor_stateorprovince string 50; svc_donor_postalcode string 20; svc_country string 100;
svc_county string 250; svc_temperature choice; svc_stage choice; svc_inclination choice; svc_anonymous boolean; svc_aim money;
svc_sourcedescription string; svc_totalgivingthisyear money; svc_totalgivinglastyear money; svc_totalgiving2yearsago money;
svc_totalgiving3yearsago money; svc_totalgiving4yearsago money; svc_totalgiving5yearsago money; svc_totalcommitment money;
svc_largestgift money; svc_countofgifts integer; svc_firstgiftdate datetime; svc_mostrecentgiftdate datetime;
svc_primarycontact lookup; svc_secondarycontact lookup; svc_donorconstituent lookup; svc_largestgiftid lookup;
svc_mostrecentgiftid lookup; svc_staff lookup; svc_organization lookup

list lists user:
listname string 128 sys; purpose string 512; type boolean sys; createdfromcode choice sys; membercount integer; lockstatus boolean;
query memo 1048576

contact contacts user:
firstname string 50; lastname string 50 app; fullname string 160; emailaddress1 string 100; mobilephone string 50; jobtitle string 100;
svc_portaldonateemailconfirmed boolean; svc_deceased boolean; parentcustomerid lookup

account accounts user:
name string 160 app; emailaddress1 string 100; telephone1 string 50

svc_account svc_accounts organization:
svc_accountnum string 20; svc_accountname string 100; svc_accounttype choice; svc_normalbalance choice; svc_netassettype choice;
svc_jointinvestmentaccount boolean; svc_subcategory string 100

svc_department svc_departments organization:
svc_departmentname string 100; svc_departmentcode string 20; svc_description memo; svc_isdefault boolean;
svc_parentdepartment lookup; svc_manager lookup

svc_function svc_functions organization:
svc_functionname string 100; svc_functioncode string 20; svc_functioncategory choice; svc_description memo

svc_fundgroup svc_fundgroups organization:
svc_fundgroupname string 100; svc_groupcode string 20; svc_description memo; svc_netassets money

svc_fundstatementformat svc_fundstatementformats organization:
svc_formatname string 100; svc_description memo; svc_showearnings boolean; svc_showspendable boolean; svc_showanonymous boolean;
svc_body memo 1048576

svc_lettertemplates svc_lettertemplateses organization:
svc_templatename string 100; svc_templatetype string 100; svc_subject string 250; svc_body memo 1048576; svc_language string 10

svc_event svc_events organization:
svc_eventname string 200; svc_eventdate datetime; svc_location string 250; svc_goal money; svc_campaign lookup

svc_proposal svc_proposals user:
svc_proposalname string 200; svc_askamount money; svc_expectedamount money; svc_askdate date; svc_expecteddate date;
svc_stage choice; svc_donor lookup

svc_portaldonatetransaction svc_portaldonatetransactions organization:
svc_transactionnum string 100; svc_gatewayid string 100; svc_amount money; svc_feeamount money; svc_transactiondate datetime;
svc_email string 100; svc_status string 50; svc_anonymous boolean; svc_fund lookup; svc_gift lookup

svc_criteria svc_criterias organization:
svc_name string 100; svc_entity string 100; svc_query memo 1048576; svc_description memo

svc_criterialist svc_criterialists organization:
svc_criterialistcode string 100; svc_criteria lookup sys; svc_list lookup

svc_giftfee svc_giftfees organization:
svc_feeid string 10; svc_feename string 100 sys; svc_description memo; svc_feecalculation choice sys; svc_feepercent decimal;
svc_feepercentasdecimal decimal; svc_flatfeeamount money; svc_amount money; svc_feetype choice; svc_fundpayingthefee choice;
svc_fundpayingthefeeother lookup; svc_fundreceivingthefee lookup; svc_expenseaccount lookup; svc_incomeaccount lookup; svc_gift lookup

svc_interfundgrants svc_interfundgrantses organization:
svc_interfundno string 100; svc_amount money sys; svc_amountsenttoaccounting money; svc_interfunddate datetime; svc_postingdate datetime;
svc_reversedate datetime; svc_interfundsource choice; svc_granttitle string 200; svc_grantfund lookup sys; svc_grantaccount lookup;
svc_giftfund lookup sys; svc_giftaccount lookup; svc_donor lookup; svc_gift lookup; svc_request lookup

svc_donoropportunities svc_donoropportunitieses user:
svc_opportunityname string 200; svc_stage choice; svc_inclination choice; svc_opportunitytype choice; svc_vehicle choice;
svc_revocable boolean; svc_estimatedcommitment money; svc_actualcommitment money; svc_promiseamount money; svc_remaindervalue money;
svc_targetclosedate date; svc_maturitydate date; svc_followupdate date; svc_donor lookup sys; svc_fund lookup; svc_staff lookup;
svc_gift lookup

svc_request svc_requests user:
svc_requestnum string 100; svc_applicationid string 10; svc_grantname string 200; svc_requesttype choice; svc_requeststatus choice;
svc_datereceived datetime; svc_dateacknowledged datetime; svc_decisiondate datetime; svc_datenotified datetime;
svc_datecontractreceived datetime; svc_begindate datetime; svc_enddate datetime; svc_requestedamount money; svc_recommendedamount money;
svc_originalgrantamount money; svc_grantamendment money; svc_grantamount money; svc_paid money; svc_balance money;
svc_nextpaymentdue datetime; svc_nextrequirementdue datetime; svc_purpose memo; svc_notes memo; svc_anonymous boolean;
svc_applicant lookup; svc_applicantorganization lookup; svc_primarycontact lookup; svc_payee lookup; svc_fund lookup;
svc_function lookup; svc_department lookup; svc_staff lookup; svc_campaign lookup

lead leads user:
firstname string; lastname string; fullname string; companyname string; emailaddress1 string
`

var needWords = map[string]schema.Need{"rec": schema.Recommended, "app": schema.ApplicationRequired, "sys": schema.SystemRequired}

var ownerWords = map[string]schema.Ownership{"user": schema.UserOwned, "organization": schema.OrganizationOwned}

func TestPrintedTables(t *testing.T) {
	m := model(t)
	for _, paragraph := range strings.Split(strings.TrimSpace(printed), "\n\n") {
		head, body, _ := strings.Cut(paragraph, ":")
		words := strings.Fields(head)
		table := m.Table(words[0])
		if table == nil {
			t.Errorf("no table %s", words[0])
			continue
		}
		if m.Set(words[1]) != table || table.Owner != ownerWords[words[2]] || !table.Audit {
			t.Errorf("%s: set %s, owner %d, audit %v", table.Name, table.Set, table.Owner, table.Audit)
		}
		if want := table.Name != "svc_criterialist"; table.Track != want {
			t.Errorf("%s: change tracking is %v", table.Name, table.Track)
		}
		count := 0
		for _, entry := range strings.Split(body, ";") {
			for _, column := range numbered(strings.Fields(entry)) {
				checkColumn(t, table, column)
				count++
			}
		}
		if strings.HasPrefix(table.Name, "svc_") && count != declared(table) {
			t.Errorf("%s declares %d columns, want %d", table.Name, declared(table), count)
		}
	}
}

// numbered unfolds svc_amount# to svc_amount1 .. svc_amount12.
func numbered(entry []string) [][]string {
	if !strings.Contains(entry[0], "#") {
		return [][]string{entry}
	}
	var out [][]string
	for i := 1; i <= 12; i++ {
		one := slices.Clone(entry)
		one[0] = strings.ReplaceAll(one[0], "#", strconv.Itoa(i))
		out = append(out, one)
	}
	return out
}

func declared(table *schema.Table) int {
	n := 0
	for _, c := range table.Columns {
		if !c.System && !c.Hidden {
			n++
		}
	}
	return n
}

func checkColumn(t *testing.T, table *schema.Table, want []string) {
	t.Helper()
	c := table.Column(want[0])
	if c == nil {
		t.Errorf("%s has no column %s", table.Name, want[0])
		return
	}
	need, length := schema.Optional, 0
	for _, word := range want[2:] {
		if n, err := strconv.Atoi(word); err == nil {
			length = n
		} else {
			need = needWords[word]
		}
	}
	if c.Type.String() != want[1] || c.Need != need {
		t.Errorf("%s.%s is %s need %d, want %v", table.Name, c.Name, c.Type, c.Need, want)
	}
	switch {
	case length == 0 && table.Name == "lead":
	case length == 0 && want[1] == "string":
		length = 250
	case length == 0 && want[1] == "memo":
		length = 2000
	}
	if length != 0 && c.Max != length {
		t.Errorf("%s.%s holds %d, want %d", table.Name, c.Name, c.Max, length)
	}
	if c.Type == schema.TypeMoney {
		checkMoney(t, table, c)
	}
}

func checkMoney(t *testing.T, table *schema.Table, c *schema.Column) {
	t.Helper()
	base := table.Column(c.Name + "_base")
	if base == nil || c.Base != base || base.BaseOf != c || !base.Computed || c.Scale != 2 {
		t.Errorf("%s.%s has no proper _base sibling", table.Name, c.Name)
	}
	if base != nil && (base.Schema != c.Schema+"_Base" || table.Property(c.Name+"_Base") != base || base.Stored() != c.Stored()) {
		t.Errorf("%s.%s: _base sibling %s", table.Name, c.Name, base.Schema)
	}
}

func TestSplits(t *testing.T) {
	m := model(t)
	gift := m.Table("svc_gift")
	for i := 1; i <= 12; i++ {
		fund := gift.MustColumn(fmt.Sprintf("svc_fund%d", i))
		nav := gift.Nav(fmt.Sprintf("svc_Fund%d", i))
		if nav == nil || nav.Column != fund || nav.To != m.Table("svc_fund") || nav.Many || fund.Wire != fmt.Sprintf("_svc_fund%d_value", i) {
			t.Errorf("split %d: %+v", i, nav)
		}
		if rel := m.Relation(fmt.Sprintf("svc_svc_fund_svc_gift_Fund%d", i)); rel == nil || rel.OnDelete != schema.Restrict {
			t.Errorf("split %d: relation %+v", i, rel)
		}
	}
}

// navs are the navigation properties the specification and decisions name: table, property, lookup, target.
const navs = `
svc_gift svc_Donor svc_donor svc_donor
svc_gift svc_MatchingDonor svc_matchingdonor svc_donor
svc_gift svc_MatchingGift svc_matchinggift svc_gift
svc_gift svc_PrimaryDonorContact svc_primarydonorcontact contact
svc_gift svc_SecondaryDonorContact svc_secondarydonorcontact contact
svc_gift svc_Payor svc_payor contact
svc_gift svc_MemorialContact svc_memorialcontact contact
svc_gift svc_Campaign svc_campaign campaign
svc_gift svc_CampaignActivity svc_campaignactivity campaignactivity
svc_gift svc_InterfundRequest svc_interfundrequest svc_request
svc_gift svc_Event svc_event svc_event
svc_gift svc_Proposal svc_proposal svc_proposal
svc_gift svc_PortalDonateTransaction svc_portaldonatetransaction svc_portaldonatetransaction
svc_giftpayment svc_GiftNumber svc_giftnumber svc_gift
svc_giftpayment svc_Donor svc_donor svc_donor
svc_giftpayment svc_Fund svc_fund svc_fund
svc_giftpayment svc_Account svc_account svc_account
svc_giftpayment svc_DepositTo svc_depositto svc_account
svc_giftpayment svc_DepositAccount svc_depositaccount svc_account
svc_giftpayment svc_Department svc_department svc_department
svc_giftpayment svc_PrimaryContact svc_primarycontact contact
svc_giftpayment svc_Payor svc_payor contact
svc_giftpayment svc_DonorConstituent svc_donorconstituent contact
svc_giftpayment svc_GiftFee svc_giftfee svc_giftfee
svc_giftpayment svc_GiftFee4 svc_giftfee4 svc_giftfee
svc_requestpayment svc_RequestLookup svc_requestlookup svc_request
svc_requestpayment svc_Fund svc_fund svc_fund
svc_requestpayment svc_Account svc_account svc_account
svc_requestpayment svc_PayableAccount svc_payableaccount svc_account
svc_requestpayment svc_PaymentAccount svc_paymentaccount svc_account
svc_requestpayment svc_Payee svc_payee -
svc_requestpayment svc_Payee_contact svc_payee contact
svc_requestpayment svc_Payee_account svc_payee account
svc_requestpayment svc_RequestApplicant svc_requestapplicant contact
svc_requestpayment svc_RequestContact svc_requestcontact contact
svc_requestpayment svc_FundPrimaryDonor svc_fundprimarydonor svc_donor
svc_requestpayment svc_Function svc_function svc_function
svc_requestpayment svc_Department svc_department svc_department
svc_requestpayment svc_PaymentRequirementLetterTemplate svc_paymentrequirementlettertemplate svc_lettertemplates
svc_fund svc_PrimaryDonor svc_primarydonor svc_donor
svc_fund svc_PrimaryFundContact svc_primaryfundcontact contact
svc_fund svc_Department svc_department svc_department
svc_fund svc_GiftDefaultAccount svc_giftdefaultaccount svc_account
svc_fund svc_NonGiftDefaultAccount svc_nongiftdefaultaccount svc_account
svc_fund svc_FundGroup svc_fundgroup svc_fundgroup
svc_fund svc_FundStatementFormat svc_fundstatementformat svc_fundstatementformat
svc_fund svc_FoundationStaffContact svc_foundationstaffcontact contact
svc_fund svc_Parent svc_parent svc_fund
svc_fund svc_AlternateFundFeeFund svc_alternatefundfeefund svc_fund
svc_fund svc_AlternateJIAFund svc_alternatejiafund svc_fund
svc_fund svc_AlternateSpendableFund svc_alternatespendablefund svc_fund
svc_donor svc_PrimaryContact svc_primarycontact contact
svc_donor svc_SecondaryContact svc_secondarycontact contact
svc_donor svc_DonorConstituent svc_donorconstituent contact
svc_donor svc_LargestGiftId svc_largestgiftid svc_gift
svc_donor svc_MostRecentGiftId svc_mostrecentgiftid svc_gift
svc_donor svc_Staff svc_staff systemuser
svc_donor svc_Organization svc_organization account
svc_giftfee svc_FundPayingTheFeeOther svc_fundpayingthefeeother svc_fund
svc_giftfee svc_FundReceivingTheFee svc_fundreceivingthefee svc_fund
svc_interfundgrants svc_GrantFund svc_grantfund svc_fund
svc_interfundgrants svc_GiftAccount svc_giftaccount svc_account
svc_criterialist svc_List svc_list list
svc_department svc_ParentDepartment svc_parentdepartment svc_department
svc_request svc_ApplicantOrganization svc_applicantorganization account
contact parentcustomerid parentcustomerid -
contact parentcustomerid_account parentcustomerid account
contact parentcustomerid_contact parentcustomerid contact
svc_gift ownerid ownerid -
svc_gift owninguser owninguser systemuser
svc_gift owningteam owningteam team
svc_gift owningbusinessunit owningbusinessunit businessunit
svc_gift createdby createdby systemuser
svc_gift transactioncurrencyid transactioncurrencyid transactioncurrency
svc_fund organizationid organizationid organization
`

func TestNavigationProperties(t *testing.T) {
	m := model(t)
	for _, line := range strings.Split(strings.TrimSpace(navs), "\n") {
		w := strings.Fields(line)
		nav := m.Table(w[0]).Nav(w[1])
		if nav == nil || nav.Many || nav.Column != m.Table(w[0]).MustColumn(w[2]) || nav.To != m.Table(w[3]) {
			t.Errorf("%s: %+v", line, nav)
			continue
		}
		if (nav.To == nil) != (nav.Relation == nil) {
			t.Errorf("%s: relation %v", line, nav.Relation)
		}
	}
}

// values are the option sets as printed, by table and column.
var values = map[string]map[int64]string{
	"svc_gift.svc_gifttype": {730850000: "Gift", 730850001: "Pledge", 730850002: "Bequest", 730850003: "Insurance Policy",
		730850004: "IRA", 730850005: "Non Gift", 100000000: "Grant", 100000001: "Interfund"},
	"svc_gift.svc_giftmethod": {730850000: "Annual Report", 730850001: "Appeal Response", 730850002: "Event", 730850003: "Matching",
		730850004: "Newsletter", 730850005: "Personal Contact", 730850006: "Unknown/Unsolicited"},
	"svc_fund.svc_fundclass": {730850000: "Operating", 730850001: "Endowment", 730850002: "Nonpermanent"},
	"svc_fund.svc_fundtype": {730850000: "Donor Advised", 730850001: "Designated Purpose", 730850002: "Agency Endowment",
		730850003: "General Unrestricted", 730850004: "Field of Interest", 730850005: "Special Project", 730850006: "Scholarship"},
	"svc_fund.svc_fundinstrument": {730850000: "Annuity", 730850001: "Bequest", 730850002: "Fund Agreement", 730850003: "General Fund Memo",
		730850004: "Charitable Lead Trust", 730850005: "Supporting Organization", 730850006: "Trustee Resolution",
		730850007: "Charitable Remainder Unit Trust"},
	"svc_fund.svc_anonymity": {730850000: "Anonymous for all purposes", 730850001: "Disclose after death",
		730850002: "Anonymous for grantees", 730850003: "Anonymous for publications"},
	"svc_donor.svc_temperature": {730850000: "Hot", 730850001: "Warm", 730850002: "Cold", 730850003: "Unknown"},
	"svc_donor.svc_stage": {100000000: "-Unqualified-", 100000001: "Identification", 100000002: "Qualification",
		100000003: "Cultivation", 100000004: "Solicitation", 100000005: "Stewardship"},
	"svc_donor.svc_inclination": {100000000: "A-Highly inclined to give", 100000001: "B-Probably will give", 100000002: "C-Possible giver",
		100000003: "D-Unlikely to give", 100000004: "X-Will not give"},
	"list.createdfromcode":    {2: "Account", 3: "Lead", 4: "Contact"},
	"svc_gift.statecode":      {0: "Active", 1: "Inactive"},
	"svc_gift.statuscode":     {1: "Active", 2: "Inactive"},
	"contact.statuscode":      {1: "Active", 2: "Inactive"},
	"list.statuscode":         {0: "Active", 1: "Inactive"},
	"svc_donor.svc_donortype": {0: "Individual/Household", 1: "Organization"},
	"svc_donor.svc_addresstouse": {
		0: "Donor", 1: "Primary Contact"},
	"svc_fund.svc_feecalculationbasis": {0: "Fund", 1: "Group"},
	"list.type":                        {0: "Static", 1: "Dynamic"},
	"list.lockstatus":                  {0: "Unlocked", 1: "Locked"},
	"svc_gift.svc_giftanonymous":       {0: "No", 1: "Yes"},
	"svc_gift.svc_recurrence": {730850000: "One Time", 730850001: "Weekly", 730850002: "Every Two Weeks", 730850003: "Monthly",
		730850004: "Quarterly", 730850005: "Semiannual", 730850006: "Annual", 100000000: "Irregular"},
	"svc_fund.svc_paymentfrequency": {730850000: "Annual", 730850001: "Quarterly", 730850002: "Monthly", 730850003: "Semiannual",
		100000000: "Weekly", 100000001: "One Time", 100000002: "As Requested"},
}

func TestPrintedOptionValues(t *testing.T) {
	m := model(t)
	for path, want := range values {
		table, column, _ := strings.Cut(path, ".")
		set := m.Table(table).MustColumn(column).Options
		got := map[int64]string{}
		for _, o := range set.Options {
			got[o.Value] = o.Label
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestOpenAndClosedSets(t *testing.T) {
	m := model(t)
	open := []string{"svc_disbursementtype", "svc_giftpaymenttype", "svc_giftrange", "svc_noncashvaluation", "svc_paymentfrequency",
		"svc_paymenttype", "svc_recurrence", "svc_requirementtype", "svc_reversaltype"}
	var got []string
	for _, s := range m.OptionSets {
		if s.Open {
			got = append(got, s.Name)
		}
		if s != m.OptionSet(s.Name) || !s.Global {
			t.Errorf("option set %s is not found by name", s.Name)
		}
	}
	if !slices.Equal(got, open) {
		t.Errorf("open sets %v, want %v", got, open)
	}
	if set := m.OptionSet("svc_giftrange"); !set.Accepts(730850999) || !set.Accepts(100000500) || set.Accepts(730851000) || set.Accepts(5) {
		t.Error("an open set takes exactly the integers of the two prefixes")
	}
	if set := m.Table("svc_gift").MustColumn("svc_gifttype").Options; set.Accepts(730850006) || !set.Accepts(100000001) {
		t.Error("a printed set is closed")
	}
	if set := m.OptionSet("svc_paymenttype"); len(set.Options) != len(m.OptionSet("svc_giftpaymenttype").Options)+1 || set.Find(100000010).Label != "Scheduled Pledge Payment" {
		t.Error("svc_paymenttype is svc_giftpaymenttype and one more")
	}
}

func TestStates(t *testing.T) {
	m := model(t)
	for _, c := range []struct {
		table               string
		state, status, next int64
	}{{"svc_gift", 0, 1, 2}, {"contact", 0, 1, 2}, {"list", 0, 0, 1}, {"campaign", 0, 0, 6}} {
		state, status := m.Table(c.table).MustColumn("statecode"), m.Table(c.table).MustColumn("statuscode")
		if state.Default != value.Int(c.state) || status.Default != value.Int(c.status) {
			t.Errorf("%s begins as %v/%v", c.table, state.Default, status.Default)
		}
		if got := state.Options.Find(1).Status; got != c.next || status.Options.Find(got).State != 1 {
			t.Errorf("%s: inactive is status %d", c.table, got)
		}
	}
	if m.Table("systemuser").Column("statecode") != nil {
		t.Error("a user has isdisabled, not a state")
	}
}

func TestSystemColumns(t *testing.T) {
	m := model(t)
	all := strings.Fields("createdon modifiedon createdby modifiedby createdonbehalfby modifiedonbehalfby statecode statuscode versionnumber " +
		"overriddencreatedon importsequencenumber timezoneruleversionnumber utcconversiontimezonecode transactioncurrencyid exchangerate")
	owned := strings.Fields("ownerid owninguser owningteam owningbusinessunit")
	migrated := strings.Fields("svc_importdetail svc_importpayload svc_dc_sourcesystem svc_dc_sourceid")
	for _, table := range m.Tables {
		if table.Platform || table.Hidden || table.Link {
			continue
		}
		want := slices.Clone(all)
		if table.Owner == schema.UserOwned {
			want = append(want, owned...)
		} else {
			want = append(want, "organizationid")
		}
		if strings.HasPrefix(table.Name, "svc_") || table.Name == "contact" || table.Name == "account" {
			want = append(want, migrated...)
		}
		for _, name := range want {
			if c := table.Column(name); c == nil || !c.System {
				t.Errorf("%s lacks system column %s", table.Name, name)
			}
		}
	}
	rate := m.Table("svc_gift").MustColumn("exchangerate")
	if rate.Scale != 10 || rate.Low != 1 || rate.High != 900000000*1e10-1 {
		t.Errorf("exchangerate %d: %d..%d", rate.Scale, rate.Low, rate.High)
	}
}

func TestIndexes(t *testing.T) {
	m := model(t)
	plain := strings.Fields("createdby modifiedby createdonbehalfby modifiedonbehalfby owninguser owningteam owningbusinessunit organizationid transactioncurrencyid " +
		"svc_largestgiftid svc_mostrecentgiftid")
	for _, table := range m.Tables {
		for _, c := range table.Columns {
			if c.Type != schema.TypeLookup || table.Name == "audit" {
				continue
			}
			if c.Indexed == slices.Contains(plain, c.Name) {
				t.Errorf("%s.%s: indexed is %v", table.Name, c.Name, c.Indexed)
			}
		}
	}
	for _, path := range strings.Fields("svc_gift.svc_giftdate svc_gift.svc_giftnum svc_gift.createdon svc_gift.modifiedon svc_requestpayment.svc_billitemid " +
		"contact.emailaddress1 account.emailaddress1 svc_donor.svc_dc_sourceid svc_fund.svc_fundcode svc_donor.svc_donor") {
		table, column, _ := strings.Cut(path, ".")
		if !m.Table(table).MustColumn(column).Indexed {
			t.Errorf("%s has no index", path)
		}
	}
	var got []string
	for _, index := range m.Table("svc_gift").Indexes {
		got = append(got, index.Columns[0].Name+" "+index.Columns[1].Name)
	}
	if want := []string{"svc_donor svc_giftdate", "svc_donor x_value"}; !slices.Equal(got, want) {
		t.Errorf("indexes of svc_gift: %v", got)
	}
}

func TestRelations(t *testing.T) {
	m := model(t)
	for name, want := range map[string]string{
		"svc_svc_donor_svc_gift_Donor":                     "svc_gift.svc_donor svc_donor restrict",
		"svc_svc_gift_svc_giftpayment_GiftNumber":          "svc_giftpayment.svc_giftnumber svc_gift cascade",
		"svc_svc_fund_svc_fund_Parent":                     "svc_fund.svc_parent svc_fund remove",
		"svc_contact_svc_requestpayment_Payee":             "svc_requestpayment.svc_payee contact remove",
		"svc_account_svc_requestpayment_Payee":             "svc_requestpayment.svc_payee account remove",
		"svc_svc_account_svc_giftpayment_Account":          "svc_giftpayment.svc_account svc_account remove",
		"svc_svc_donor_svc_fund_PrimaryDonor":              "svc_fund.svc_primarydonor svc_donor restrict",
		"svc_svc_request_svc_requestpayment_RequestLookup": "svc_requestpayment.svc_requestlookup svc_request cascade",
		"contact_customer_accounts":                        "contact.parentcustomerid account remove",
		"account_primary_contact":                          "account.primarycontactid contact remove",
		"lk_svc_gift_createdby":                            "svc_gift.createdby systemuser restrict",
		"user_svc_gift":                                    "svc_gift.owninguser systemuser restrict",
		"team_svc_gift":                                    "svc_gift.owningteam team restrict",
		"owner_svc_gift":                                   "svc_gift.ownerid systemuser restrict",
		"business_unit_svc_gift":                           "svc_gift.owningbusinessunit businessunit restrict",
		"TransactionCurrency_svc_gift":                     "svc_gift.transactioncurrencyid transactioncurrency restrict",
		"organization_svc_fund":                            "svc_fund.organizationid organization restrict",
	} {
		rel := m.Relation(name)
		if rel == nil {
			t.Errorf("no relation %s", name)
			continue
		}
		got := fmt.Sprintf("%s.%s %s %s", rel.Child.Name, rel.Column.Name, rel.Parent.Name, []string{"remove", "restrict", "cascade"}[rel.OnDelete])
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		nav := rel.Parent.Nav(name)
		if nav == nil || !nav.Many || nav.To != rel.Child || nav.Relation != rel || !slices.Contains(rel.Parent.Childs, rel) || !slices.Contains(rel.Child.Parents, rel) {
			t.Errorf("%s: collection %+v", name, nav)
		}
	}
	if rel := m.Relation("svc_svc_fund_svc_fund_Parent"); !rel.Hierarchical {
		t.Error("svc_parent is hierarchical")
	}
}

func TestManyToMany(t *testing.T) {
	m := model(t)
	for _, c := range []struct{ name, a, b, through string }{
		{"systemuserroles_association", "systemuser", "role", "systemuserroles"},
		{"teammembership_association", "team", "systemuser", "teammembership"},
		{"teamroles_association", "team", "role", "teamroles"},
		{"roleprivileges_association", "role", "privilege", "roleprivileges"},
		{"listcontact_association", "list", "contact", "listmember"},
		{"listaccount_association", "list", "account", "listmember"},
		{"listlead_association", "list", "lead", "listmember"},
	} {
		there, back := m.Table(c.a).Nav(c.name), m.Table(c.b).Nav(c.name)
		if there == nil || back == nil || there.To != m.Table(c.b) || back.To != m.Table(c.a) || !there.Many || there.Through != back.Through {
			t.Errorf("%s: %+v %+v", c.name, there, back)
			continue
		}
		if there.Through.Intersect.Name != c.through || !there.Through.Intersect.Link {
			t.Errorf("%s goes through %s", c.name, there.Through.Intersect.Name)
		}
	}
	members := m.Table("list").Nav("listmember_association")
	if members == nil || !members.Members || !members.Many || members.To != nil {
		t.Errorf("members %+v", members)
	}
}

func TestAuditAndHiddenTables(t *testing.T) {
	m := model(t)
	audit := m.Table("audit")
	object := audit.MustColumn("objectid")
	if !object.Polymorphic() || slices.Contains(object.Targets, audit) || !slices.Contains(object.Targets, m.Table("svc_gift")) || object.Nav != "" {
		t.Error("objectid points at every table and has no navigation property")
	}
	if audit.MustColumn("objecttypecode").TypeOf() != object || audit.Column("versionnumber") != nil || audit.Property("logversion") != nil {
		t.Error("audit is the change log with two hidden columns")
	}
	for name, key := range map[string]string{"donoryear": "donor year", "fundyear": "fund year", "fundquarter": "fund quarter",
		"counter": "name", "setting": "name"} {
		table := m.Table(name)
		var names []string
		for _, c := range table.Unique[0] {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); !table.Hidden || table.Key != nil || table.Set != "" || got != key {
			t.Errorf("%s: key %s", name, got)
		}
	}
}

func TestVirtualColumns(t *testing.T) {
	m := model(t)
	for path, want := range map[string]string{
		"svc_donor.svc_totalgivingthisyear":       "giving_year_0",
		"svc_donor.svc_totalgivinglastyear":       "giving_year_1",
		"svc_donor.svc_totalgiving5yearsago":      "giving_year_5",
		"svc_donor.svc_totalgiving5yearsago_base": "giving_year_5_base",
		"svc_fund.svc_totalgivinglastyear":        "fund_giving_1",
		"svc_fund.svc_spendable":                  "spendable",
		"svc_fund.svc_portalfundspendable_base":   "portal_spendable_base",
		"systemuser.ownerid":                      "self",
		"team.ownerid":                            "self",
		"listmember.entitytype":                   "typename:entityid",
	} {
		table, column, _ := strings.Cut(path, ".")
		if got := m.Table(table).MustColumn(column).Virtual; got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// TestModelIsSound holds what every consumer relies on, for every table.
func TestModelIsSound(t *testing.T) {
	m := model(t)
	for _, table := range m.Tables {
		if table.Label == "" || table.Plural == "" || table.Schema == "" || table.Doc == "" {
			t.Errorf("%s lacks a label, schema name or description", table.Name)
		}
		if !table.Hidden && (table.Key == nil || m.Set(table.Set) != table || m.ByCode(table.TypeCode) != table) {
			t.Errorf("%s is not found by set and code", table.Name)
		}
		names, numbers := map[string]bool{}, map[int]bool{}
		for i, c := range table.Columns {
			if c.Index != i || c.Table != table || table.Column(c.Name) != c || numbers[c.Number] || c.Number < 1 {
				t.Errorf("%s.%s is misplaced", table.Name, c.Name)
			}
			if c.Label == "" || !strings.EqualFold(c.Schema, c.Name) {
				t.Errorf("%s.%s: label %q, schema name %s", table.Name, c.Name, c.Label, c.Schema)
			}
			if c.Type == schema.TypeLookup && len(c.Targets) == 0 {
				t.Errorf("%s.%s points nowhere", table.Name, c.Name)
			}
			if c.IsText() && (c.Max < 1 || c.Max > 1<<20) {
				t.Errorf("%s.%s holds %d characters", table.Name, c.Name, c.Max)
			}
			if !c.Hidden {
				names[c.Wire] = true
			}
			numbers[c.Number] = true
		}
		for _, nav := range table.Navs() {
			if names[nav.Name] {
				t.Errorf("%s has two properties %s", table.Name, nav.Name)
			}
			names[nav.Name] = true
		}
	}
}

func TestModelIsStable(t *testing.T) {
	first := model(t)
	again, err := ModelWith("")
	if err != nil {
		t.Fatal(err)
	}
	if first.Version != again.Version || first.Version == "" {
		t.Errorf("versions %q and %q", first.Version, again.Version)
	}
}

func TestPrivileges(t *testing.T) {
	m := model(t)
	if got := m.Table("svc_gift").Privilege(schema.Read); got != "prvReadsvc_gift" {
		t.Error(got)
	}
	if len(m.Table("svc_gift").Rights()) != 8 || len(m.Table("svc_fund").Rights()) != 6 {
		t.Error("only user-owned rows can be assigned and shared")
	}
	if schema.PrivilegeID("prvReadsvc_gift") != schema.PrivilegeID("prvReadsvc_Gift") {
		t.Error("privilege names are compared without case")
	}
}

func TestNear(t *testing.T) {
	m := model(t)
	for _, c := range []struct{ table, name, want string }{
		{"svc_gift", "svc_donor", "svc_Donor"},
		{"svc_gift", "svc_GiftNum", "svc_giftnum"},
		{"svc_gift", "svc_giftnmu", "svc_giftnum"},
		{"svc_gift", "createdby", "_createdby_value"},
		{"svc_gift", "SVC_fund3", "svc_Fund3"},
		{"svc_gift", "_svc_Donor_value", "_svc_donor_value"},
		{"svc_gift", "utterly_different", ""},
		{"svc_gift", "x_valu", ""},
		{"svc_donor", "svc_Donor", "svc_donor"},
	} {
		if got := m.Table(c.table).Near(c.name); got != c.want {
			t.Errorf("near %s.%s: %q, want %q", c.table, c.name, got, c.want)
		}
	}
}
