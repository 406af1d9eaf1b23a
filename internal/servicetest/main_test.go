package servicetest_test

import (
	"os"
	"testing"

	"almoner/internal/programtest"
)

func TestMain(m *testing.M) { os.Exit(programtest.Main(m)) }
