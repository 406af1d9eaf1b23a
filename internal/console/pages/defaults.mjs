// Which columns a list shows until somebody chooses others.

const CHOSEN = {
  svc_donor:
    'svc_formaldefault svc_donor svc_donortype svc_donor_city svc_totalgivingthisyear svc_totalgivinglastyear svc_countofgifts svc_mostrecentgiftdate',
  svc_fund: 'svc_fundname svc_fundcode svc_fundclass svc_primarydonor svc_netassets svc_giftspaid svc_grantspaid svc_spendable',
  svc_gift: 'svc_giftnum svc_giftdate svc_donor svc_gifttype svc_totalgift svc_paid svc_balance svc_fund1',
  svc_giftpayment: 'svc_paymentnum svc_giftnumber svc_donor svc_fund svc_amount svc_paymenttype svc_checkdate svc_postingdate',
  svc_request: 'svc_requestnum svc_grantname svc_requeststatus svc_fund svc_grantamount svc_paid svc_balance svc_datereceived',
  svc_requestpayment: 'svc_paymentnum svc_requestlookup svc_payee svc_fund svc_amount svc_paymentdate svc_checknumber',
  contact: 'fullname emailaddress1 telephone1 address1_city address1_stateorprovince parentcustomerid',
  account: 'name emailaddress1 telephone1 address1_city address1_stateorprovince primarycontactid',
};

const MOST = 7;
const TECHNICAL = [
  /_base$|^owning|^(created|modified)(onbehalf)?by$|^svc_import/,
  /^(versionnumber|organizationid|overriddencreatedon|importsequencenumber|timezoneruleversionnumber|utcconversiontimezonecode|exchangerate)$/,
];

/** defaultColumns are the names of the columns a list of a table begins with; the table's title comes first. */
export function defaultColumns(table, columns) {
  const chosen = (CHOSEN[table.name] ?? '').split(' ').filter((name) => columns.has(name));
  if (chosen.length > 0) return chosen;
  const plain = [...columns.values()]
    .filter((c) => c.name !== table.key && c.type !== 'Memo' && !TECHNICAL.some((kind) => kind.test(c.name)))
    .map((c) => c.name);
  return [...new Set([table.title, ...plain].filter((name) => columns.has(name)))].slice(0, MOST);
}
