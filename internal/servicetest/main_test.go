package servicetest_test

import (
	"os"
	"testing"

	"almoner/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
