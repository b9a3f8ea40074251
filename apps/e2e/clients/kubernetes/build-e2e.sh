#!/usr/bin/env bash
# Builds Kubernetes' end-to-end specs of workloads and scheduling: build-e2e.sh [FOLDER]. Takes minutes once.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../../../node_modules/.cache/go/kubernetes}
mkdir -p "$folder"
version='-X k8s.io/component-base/version.gitVersion=v1.36.3 -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36'
cd "$here" && go test -c -buildvcs=false -ldflags "$version" -o "$(realpath "$folder")/e2e.test" ./e2e
