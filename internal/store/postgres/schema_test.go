package postgres

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
	"almoner/tables"
)

// execSQL runs statements on a test's database.
func execSQL(t *testing.T, dsn, script string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := execScript(t.Context(), conn, script); err != nil {
		t.Fatal(err)
	}
}

func TestSeveralStoresOpenAnEmptyDatabase(t *testing.T) {
	dsn := pgtest.DSN(t)
	model, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	stores := make([]*Store, 4)
	var opening sync.WaitGroup
	for i := range stores {
		opening.Go(func() {
			s, err := Open(t.Context(), dsn, model, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			stores[i] = s
		})
	}
	opening.Wait()
	for _, s := range stores {
		if s == nil {
			continue
		}
		defer s.Close()
		if pending, err := s.Pending(t.Context()); err != nil || len(pending) > 0 {
			t.Errorf("pending %v, %v", pending, err)
		}
		if s.Epoch() == "" || s.Epoch() != stores[0].Epoch() {
			t.Errorf("epochs %q and %q", s.Epoch(), stores[0].Epoch())
		}
	}
}

func TestMigrateAddsWhatIsMissing(t *testing.T) {
	dsn := pgtest.DSN(t)
	openDSN(t, dsn, Options{}).Close()
	execSQL(t, dsn, `ALTER TABLE svc_department DROP COLUMN svc_note, DROP COLUMN svc_manager, ADD COLUMN svc_gone int; DROP TABLE tally`)
	var log bytes.Buffer
	s := openDSN(t, dsn, Options{KeepSchema: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	pending, err := s.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(pending, "\n")
	for _, want := range []string{`CREATE TABLE "tally"`, `ADD COLUMN "svc_note" `, `ADD COLUMN "svc_manager"`, "FOREIGN KEY"} {
		if !strings.Contains(all, want) {
			t.Errorf("pending lacks %q:\n%s", want, all)
		}
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if pending, err := s.Pending(t.Context()); err != nil || len(pending) > 0 {
		t.Errorf("still pending: %v, %v", pending, err)
	}
	if !strings.Contains(log.String(), "svc_department.svc_gone") {
		t.Errorf("the column that left is not reported: %s", log.String())
	}
	insertDepartments(t, s, 1)
}

func TestForeignDatabasesAreRefused(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"newer format", `UPDATE almoner_meta SET value = '99' WHERE name = 'format'`, "newer program"},
		{"newer fold", `UPDATE almoner_meta SET value = '99' WHERE name = 'fold'`, "newer program"},
		{"damaged", `DELETE FROM almoner_meta WHERE name = 'format'`, "not a number"},
		{"not ours", `DROP TABLE almoner_meta`, "not Almoner's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dsn := pgtest.DSN(t)
			openDSN(t, dsn, Options{}).Close()
			execSQL(t, dsn, c.script)
			s, err := Open(t.Context(), dsn, testModel(t), Options{})
			if err == nil {
				s.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestEpochChangesOnCopy(t *testing.T) {
	dsn := pgtest.DSN(t)
	first := openDSN(t, dsn, Options{})
	insertDepartments(t, first, 3)
	number := draw(t, first, "gift")
	again := openDSN(t, dsn, Options{})
	if first.Epoch() != again.Epoch() {
		t.Errorf("epoch changed from %q to %q without a reason", first.Epoch(), again.Epoch())
	}
	again.Close()
	first.Close()
	copied := openDSN(t, pgtest.Copy(t, dsn), Options{})
	if copied.Epoch() == first.Epoch() {
		t.Error("a copy has the epoch of its origin")
	}
	if n := draw(t, copied, "gift"); n <= number {
		t.Errorf("the copy gives number %d again after %d", n, number)
	}
	before, err := copied.Watermark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, copied, func(tx store.Tx) error {
		if v, err := tx.NextVersion(t.Context()); err != nil || v <= before {
			return fmt.Errorf("version %d after %d: %w", v, before, err)
		}
		return nil
	})
}

func TestZoneShiftsAreKept(t *testing.T) {
	dsn := pgtest.DSN(t)
	zones := map[string]*time.Location{}
	for _, name := range []string{"America/New_York", "Asia/Kathmandu", "UTC"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones[name] = zone
	}
	check := func(s *Store, zone string) {
		t.Helper()
		var n int
		if err := s.pool.QueryRow(t.Context(), "SELECT count(*) FROM zoneshift").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if want := len(sqlgen.ZoneShifts(zones[zone])); n != want {
			t.Errorf("%s: %d shifts, want %d", zone, n, want)
		}
	}
	service := openDSN(t, dsn, Options{Calendar: query.Calendar{Zone: zones["America/New_York"], StartMonth: 7}})
	check(service, "America/New_York")
	command := openDSN(t, dsn, Options{Calendar: query.Calendar{Zone: zones["UTC"]}})
	check(command, "America/New_York") // a command without a zone leaves the service's alone
	if err := service.SetCalendar(t.Context(), query.Calendar{Zone: zones["Asia/Kathmandu"], StartMonth: 7}); err != nil {
		t.Fatal(err)
	}
	check(service, "Asia/Kathmandu")
}

func TestOlderFoldsAreRenewed(t *testing.T) {
	dsn := pgtest.DSN(t)
	s := openDSN(t, dsn, Options{})
	ids := insertDepartments(t, s, 3)
	tally := s.model.Table("tally")
	mustWrite(t, s, func(tx store.Tx) error {
		for i, id := range ids {
			set := assign(departments(s), "svc_departmentname", value.Text("Émile "+fmt.Sprint(i)), "svc_note", value.Text("Ñ"))
			if err := tx.Update(t.Context(), departments(s), id, set); err != nil {
				return err
			}
		}
		return tx.Put(t.Context(), tally, assign(tally, "word", value.Text("Ärger"), "year", value.Int(1), "total", value.Int(7)))
	})
	s.Close()
	execSQL(t, dsn, `UPDATE svc_department SET svc_departmentname_f = 'old', svc_note_f = NULL; UPDATE tally SET word_f = 'old';
		UPDATE almoner_meta SET value = '0' WHERE name = 'fold'`)
	s = openDSN(t, dsn, Options{})
	var names, notes, words, version string
	err := s.pool.QueryRow(t.Context(), `SELECT (SELECT string_agg(svc_departmentname_f, ',' ORDER BY svc_departmentid) FROM svc_department),
		(SELECT string_agg(svc_note_f, ',') FROM svc_department), (SELECT word_f || total FROM tally), (SELECT value FROM almoner_meta WHERE name = 'fold')`).
		Scan(&names, &notes, &words, &version)
	if err != nil {
		t.Fatal(err)
	}
	if names != "emile 0,emile 1,emile 2" || notes != "n,n,n" || words != "arger7" || version != fmt.Sprint(value.FoldVersion) {
		t.Errorf("folds %q, %q, %q, version %q", names, notes, words, version)
	}
}

func TestExplainShowsStatementAndPlan(t *testing.T) {
	s := openTest(t, Options{})
	text, err := s.Explain(t.Context(), allDepartments(s, 10))
	if err != nil || !strings.Contains(text, "SELECT") || !strings.Contains(text, "cost=") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestBackupPointsToTheServersTools(t *testing.T) {
	s := openTest(t, Options{})
	if err := s.Backup(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("got %v", err)
	}
}
