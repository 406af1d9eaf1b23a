package metadata
