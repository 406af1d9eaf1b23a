package messages

import (
	"context"
	"slices"
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Version is the platform version clients are told: four parts, the first two those of the API.
const Version = "9.2.24014.197"

// EndpointAccessTypes are the kinds of access RetrieveCurrentOrganization can be asked for. The addresses are the same for all.
var EndpointAccessTypes = []string{"Default", "Internet", "Intranet"}

// identity holds the functions clients call to learn who and where they are.
var identity = []*Message{
	{
		Name: "WhoAmI", Function: true, Doc: "The caller's user, business unit and organization.",
		Returns: "Microsoft.Dynamics.CRM.WhoAmIResponse",
		Fields:  []Param{{Name: "BusinessUnitId", Type: "Edm.Guid"}, {Name: "UserId", Type: "Edm.Guid"}, {Name: "OrganizationId", Type: "Edm.Guid"}},
		Do:      whoAmI,
	},
	{
		Name: "RetrieveVersion", Function: true, Doc: "The platform version the service speaks.",
		Returns: "Microsoft.Dynamics.CRM.RetrieveVersionResponse", Fields: []Param{{Name: "Version", Type: "Edm.String"}},
		Do: func(context.Context, *Call) (*Result, error) {
			return &Result{Body: struct{ Version string }{Version}}, nil
		},
	},
	{
		Name: "RetrieveCurrentOrganization", Function: true, Doc: "The organization behind this address.",
		Params:  []Param{{Name: "AccessType", Type: "Microsoft.Dynamics.CRM.EndpointAccessType"}},
		Returns: "Microsoft.Dynamics.CRM.RetrieveCurrentOrganizationResponse",
		Fields:  []Param{{Name: "Detail", Type: "Microsoft.Dynamics.CRM.OrganizationDetail"}},
		Do:      currentOrganization,
	},
	{
		Name: "RetrieveTotalRecordCount", Function: true, Doc: "The number of rows of each table named.",
		Params:  []Param{{Name: "EntityNames", Type: "Collection(Edm.String)"}},
		Returns: "Microsoft.Dynamics.CRM.RetrieveTotalRecordCountResponse",
		Fields:  []Param{{Name: "EntityRecordCountCollection", Type: "Microsoft.Dynamics.CRM.EntityRecordCountCollection"}},
		Do:      totalRecordCount,
	},
	{
		Name: "RetrieveAvailableLanguages", Function: true, Doc: "The languages labels come in.",
		Returns: "Microsoft.Dynamics.CRM.RetrieveAvailableLanguagesResponse", Fields: []Param{{Name: "LocaleIds", Type: "Collection(Edm.Int32)"}},
		Do: func(context.Context, *Call) (*Result, error) {
			return &Result{Body: struct{ LocaleIds []int }{[]int{1033}}}, nil
		},
	},
	{
		Name: "RetrieveTimestamp", Function: true, Doc: "The version up to which all changes are visible.",
		Returns: "Microsoft.Dynamics.CRM.RetrieveTimestampResponse", Fields: []Param{{Name: "Timestamp", Type: "Edm.String"}},
		Do: timestamp,
	},
}

func whoAmI(_ context.Context, c *Call) (*Result, error) {
	caller := c.Session.Caller()
	return &Result{Body: struct{ BusinessUnitId, UserId, OrganizationId string }{
		caller.Unit.String(), caller.User.String(), caller.Organization.String(),
	}}, nil
}

// endpoints and organizationDetail are the platform's shapes.
type endpoints struct {
	Count      int
	IsReadOnly bool
	Keys       []string
	Values     []string
}

type organizationDetail struct {
	OrganizationId      string
	FriendlyName        string
	OrganizationVersion string
	EnvironmentId       string
	DatacenterId        string
	Geo                 string
	TenantId            string
	UrlName             string
	UniqueName          string
	State               string
	Endpoints           endpoints
}

func currentOrganization(ctx context.Context, c *Call) (*Result, error) {
	access, err := c.Params.Text("AccessType")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(EndpointAccessTypes, access) {
		return nil, badParameter("AccessType", "one of "+strings.Join(EndpointAccessTypes, ", "))
	}
	id := c.Session.Caller().Organization
	row, err := c.Session.Engine().Store().Get(ctx, c.Model().Table("organization"), id, nil)
	if err != nil {
		return nil, err
	}
	name := "Almoner"
	if row != nil && row.Value("name").Text() != "" {
		name = row.Value("name").Text()
	}
	return &Result{Body: struct{ Detail organizationDetail }{organizationDetail{
		OrganizationId: id.String(), FriendlyName: name, OrganizationVersion: Version, EnvironmentId: id.String(),
		DatacenterId: value.GUID{}.String(), Geo: "", TenantId: id.String(), UrlName: "almoner", UniqueName: "almoner", State: "Enabled",
		Endpoints: endpoints{3, false, []string{"WebApplication", "OrganizationService", "OrganizationDataService"}, []string{c.Base, c.Base, c.Base}},
	}}}, nil
}

type recordCounts struct {
	Count      int
	IsReadOnly bool
	Keys       []string
	Values     []int64
}

// totalRecordCount counts the rows the caller may read of each table.
func totalRecordCount(ctx context.Context, c *Call) (*Result, error) {
	names, err := c.Params.Texts("EntityNames")
	if err != nil {
		return nil, err
	}
	counts := recordCounts{Count: len(names), Keys: names, Values: []int64{}}
	for _, name := range names {
		t := c.Model().Table(name)
		if t == nil || t.Hidden {
			return nil, fault.New(fault.ObjectDoesNotExist, "The entity with a name = '%s' was not found in the metadata.", name).WithStatus(400).At("parameter EntityNames")
		}
		n, err := countRows(ctx, c, t)
		if err != nil {
			return nil, err
		}
		counts.Values = append(counts.Values, n)
	}
	return &Result{Body: struct{ EntityRecordCountCollection recordCounts }{counts}}, nil
}

func countRows(ctx context.Context, c *Call, t *schema.Table) (int64, error) {
	root := &query.Link{Table: t}
	q := &query.Query{Root: root}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}
	plan, err := c.Session.Prepare(q)
	if err != nil {
		return 0, err
	}
	return c.Session.Count(ctx, plan)
}

func timestamp(ctx context.Context, c *Call) (*Result, error) {
	w, err := c.Session.Watermark(ctx)
	if err != nil {
		return nil, err
	}
	return &Result{Body: struct{ Timestamp string }{value.Int(w).String()}}, nil
}
