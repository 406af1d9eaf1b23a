package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"almoner/internal/auth"
)

// withRegistry runs fn with the identity side of the database.
func withRegistry(cmd *cobra.Command, db *database, fn func(*auth.Registry) error) error {
	o, err := db.open(cmd.Context(), opening{})
	if err != nil {
		return err
	}
	defer o.store.Close()
	return fn(auth.NewRegistry(o.store, o.model, nil))
}

// printJSON writes one line of JSON, alone on standard output.
func printJSON(v any) error { return json.NewEncoder(os.Stdout).Encode(v) }

// printCredentials writes what an application signs in with.
func printCredentials(c auth.Credentials) error {
	return printJSON(struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		SystemUserID string `json:"systemuserid"`
	}{c.ClientID.String(), c.ClientSecret, c.SystemUserID.String()})
}

// printRole writes a role with its grants in the form role create takes them.
func printRole(r *auth.RoleInfo) error {
	grants := make([]string, 0, len(r.Grants))
	for _, g := range r.Grants {
		grants = append(grants, g.Privilege+":"+strings.ToLower(g.Depth.String()))
	}
	return printJSON(struct {
		RoleID string   `json:"roleid"`
		Name   string   `json:"name"`
		Grants []string `json:"grants"`
	}{r.ID.String(), r.Name, grants})
}

func newToken(db *database) *cobra.Command {
	var app string
	var ttl time.Duration
	cmd := &cobra.Command{
		Use: "token", Short: "Print a bearer token", Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withRegistry(cmd, db, func(r *auth.Registry) error {
				token, err := r.IssueToken(cmd.Context(), app, ttl)
				if err != nil {
					return err
				}
				fmt.Println(token)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&app, "app", "", "application the token is for; the built-in administrator when empty")
	cmd.Flags().DurationVar(&ttl, "ttl", time.Hour, "how long the token is good")
	return cmd
}

func newApp(db *database) *cobra.Command {
	app := &cobra.Command{Use: "app", Short: "Application users", Args: usageArgs(cobra.NoArgs), RunE: needSubcommand}
	var roles []string
	create := &cobra.Command{
		Use: "create NAME", Short: "Register an application; its secret is shown this once", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withRegistry(cmd, db, func(r *auth.Registry) error {
				c, err := r.CreateApp(cmd.Context(), args[0], roles)
				if err != nil {
					return err
				}
				return printCredentials(c)
			})
		},
	}
	create.Flags().StringArrayVar(&roles, "role", nil, "role the application holds; may be given several times")
	rotate := &cobra.Command{
		Use: "rotate NAME", Short: "Give an application a new secret", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withRegistry(cmd, db, func(r *auth.Registry) error {
				c, err := r.RotateApp(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return printCredentials(c)
			})
		},
	}
	disable := &cobra.Command{
		Use: "disable NAME", Short: "Take an application's access away", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withRegistry(cmd, db, func(r *auth.Registry) error { return r.DisableApp(cmd.Context(), args[0]) })
		},
	}
	list := &cobra.Command{Use: "list", Short: "List applications", Args: usageArgs(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		return withRegistry(cmd, db, func(r *auth.Registry) error { return listApps(cmd, r) })
	}}
	app.AddCommand(create, rotate, disable, list)
	return app
}

func listApps(cmd *cobra.Command, r *auth.Registry) error {
	apps, err := r.ListApps(cmd.Context())
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tCLIENT ID\tUSER ID\tSTATE\tROLES")
	for _, a := range apps {
		state := "enabled"
		if a.Disabled {
			state = "disabled"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", a.Name, a.ClientID, a.SystemUserID, state, strings.Join(a.Roles, ", "))
	}
	return w.Flush()
}

func newUser(db *database) *cobra.Command {
	user := &cobra.Command{Use: "user", Short: "People who can be impersonated", Args: usageArgs(cobra.NoArgs), RunE: needSubcommand}
	var roles []string
	create := &cobra.Command{
		Use: "create NAME", Short: "Register a person", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withRegistry(cmd, db, func(r *auth.Registry) error {
				id, err := r.CreateUser(cmd.Context(), args[0], roles)
				if err != nil {
					return err
				}
				return printJSON(map[string]string{"systemuserid": id.String()})
			})
		},
	}
	create.Flags().StringArrayVar(&roles, "role", nil, "role the person holds; may be given several times")
	user.AddCommand(create)
	return user
}

func newRole(db *database) *cobra.Command {
	role := &cobra.Command{Use: "role", Short: "Roles and what they allow", Args: usageArgs(cobra.NoArgs), RunE: needSubcommand}
	var grants []string
	create := &cobra.Command{
		Use: "create NAME", Short: "Make a role", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  almoner role create Auditor --grant prvReadsvc_gift:global",
		RunE: func(cmd *cobra.Command, args []string) error {
			return withRegistry(cmd, db, func(r *auth.Registry) error {
				id, err := r.CreateRole(cmd.Context(), args[0], grants)
				if err != nil {
					return err
				}
				return printJSON(map[string]string{"roleid": id.String()})
			})
		},
	}
	create.Flags().StringArrayVar(&grants, "grant", nil, "PRIVILEGE:DEPTH, depth basic, local, deep or global; may be given several times")
	list := &cobra.Command{Use: "list", Short: "List roles", Args: usageArgs(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		return withRegistry(cmd, db, func(r *auth.Registry) error {
			roles, err := r.ListRoles(cmd.Context())
			if err != nil {
				return err
			}
			for _, role := range roles {
				fmt.Println(role.Name)
			}
			return nil
		})
	}}
	show := &cobra.Command{
		Use: "show NAME", Short: "Show what a role allows", Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withRegistry(cmd, db, func(r *auth.Registry) error {
				role, err := r.ShowRole(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return printRole(role)
			})
		},
	}
	role.AddCommand(create, list, show)
	return role
}

func needSubcommand(cmd *cobra.Command, _ []string) error {
	return usageError{fmt.Errorf("%s needs a subcommand: %s", cmd.CommandPath(), strings.Join(subcommands(cmd), ", "))}
}

func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}
