#!/usr/bin/env bash
# Builds kube-scheduler and kube-controller-manager of the version of the reference: build.sh [FOLDER]. Takes minutes once.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../../../node_modules/.cache/go/kubernetes}
mkdir -p "$folder"
version='-X k8s.io/component-base/version.gitVersion=v1.36.3 -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36'
cd "$here" && go build -buildvcs=false -ldflags "$version" -o "$(realpath "$folder")/" ./kube-scheduler ./kube-controller-manager
