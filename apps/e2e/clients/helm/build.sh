#!/bin/sh
# Builds the versions of Helm that the end-to-end suite uses, which takes minutes. Needs Go and its module proxy.
set -eu
cache="$(cd "$(dirname "$0")/../../../.." && pwd)/node_modules/.cache/go/helm"
for version in v3.22.0 v4.3.1; do
  mkdir -p "$cache/$version"
  GOBIN="$cache/$version" go install "helm.sh/helm/${version%%.*}/cmd/helm@$version"
done
