package auth

import "slices"

// builtin is a role every database has; grants says how deep it grants a privilege.
type builtin struct {
	name   string
	grants func(*Privilege) Depth
}

var builtins = []builtin{
	{RoleAdministrator, func(*Privilege) Depth { return Global }},
	{RoleIntegration, integrationDepth},
	{RoleReader, readerDepth},
}

// referenced are the platform's tables that business rows point at: who works with those rows reads and binds these.
var referenced = []string{"businessunit", "organization", "systemuser", "team", "transactioncurrency"}

// integrationDepth lets integrations read and write every business table, act on behalf of users and bring in old rows,
// and keeps them from administration.
func integrationDepth(p *Privilege) Depth {
	switch {
	case p.Table == nil:
		return allIf(slices.Contains([]string{ActOnBehalf, OverrideCreated, BulkDelete, Merge, ExportToExcel}, p.Name))
	case !p.Table.Platform:
		return Global
	case p.Table.Name == "userquery":
		return Basic
	case p.Table.Name == "savedquery":
		return allIf(p.Right == Read)
	default:
		return allIf(slices.Contains(referenced, p.Table.Name) && (p.Right == Read || p.Right == AppendTo))
	}
}

// readerDepth lets readers see every business table and what its rows point at.
func readerDepth(p *Privilege) Depth {
	if p.Table == nil || p.Right != Read {
		return None
	}
	seen := !p.Table.Platform || p.Table.Name == "savedquery" || slices.Contains(referenced, p.Table.Name)
	return allIf(seen)
}

func allIf(granted bool) Depth {
	if granted {
		return Global
	}
	return None
}
