# Almoner: make run to try it, make test to prove it.
SHELL := /bin/bash
GO ?= go
BIN := bin/almoner
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
LDFLAGS := -X main.version=$(VERSION) -X main.commit=$(COMMIT)

.PHONY: build run test unit clients bench lint fmt pgo clean

build:
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/almoner

# Builds, makes a database with the small sample foundation if there is none, serves it and prints a curl line that works.
run: build
	@scripts/run.sh $(BIN)

# Everything that proves the program: unit, wire, both stores, real clients.
test:
	@scripts/setup.sh
	$(GO) vet ./...
	$(GO) run ./internal/pgtest/cmd/pgcluster -- $(GO) test -timeout 20m ./...

# The tests of one package or a few: make unit PKG=./internal/odata
PKG ?= ./...
unit:
	$(GO) run ./internal/pgtest/cmd/pgcluster -- $(GO) test $(PKG)

# Compares the service with hand-written handlers and prints a table of ratios.
bench: build
	@scripts/setup.sh
	$(GO) run ./internal/pgtest/cmd/pgcluster -- $(GO) run ./bench

# Makes the profile that a profile-guided build reads; docs/performance.md says what it is worth.
pgo: build
	$(GO) run ./bench -size small -rounds 2 -profiles bin/profiles
	$(GO) tool pprof -proto bin/profiles/*.prof > cmd/almoner/default.pgo

lint:
	@scripts/lint.sh

fmt:
	gofmt -w $$(git ls-files '*.go')

clean:
	rm -rf bin
