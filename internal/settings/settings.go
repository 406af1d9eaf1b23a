// Package settings holds every switch of the service with its default: the business settings that live in the database
// and the settings of one process. Values come from flags, else environment, else the YAML file, else the default.
package settings
