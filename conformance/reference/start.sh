#!/usr/bin/env bash
# Starts the reference server: start.sh PORT [FOLDER [DATA [FLAG…]]]. Uses PORT+1 and PORT+2 for etcd. Without DATA nothing is kept.
# The flags are those of kube-apiserver.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
port=${1:?a port}
folder=${2:-$root/.cache/reference}
mkdir -p "$folder/bin"
pki=$folder/pki

version='-X k8s.io/component-base/version.gitVersion=v1.36.3 -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36'
[ -x "$folder/bin/kube-apiserver" ] || (cd "$here/kube-apiserver" && go build -ldflags "$version" -o "$folder/bin/kube-apiserver" .)
[ -x "$folder/bin/etcd" ] || (cd "$here/etcd" && go build -o "$folder/bin/etcd" .)
[ -d "$pki" ] || "$root/node_modules/.bin/node" "$root/apps/cli/bin/annex.js" pki --data-dir "$folder" --server "https://127.0.0.1:$port"
sed -i "s|https://127.0.0.1:[0-9]*|https://127.0.0.1:$port|" "$folder/admin.kubeconfig"

data=${3:-$(mktemp -d)}
kept=${3:+yes}
# kube-apiserver takes a minute to end by itself where its etcd ends with it.
trap 'kill -KILL ${apiserver:-} 2>/dev/null; kill $(jobs -p) 2>/dev/null; wait; [ "$kept" ] || rm -rf "$data"' EXIT
trap 'exit 0' TERM
client=http://127.0.0.1:$((port + 1))
peer=http://127.0.0.1:$((port + 2))
"$folder/bin/etcd" --data-dir="$data" --unsafe-no-fsync \
  --listen-client-urls="$client" --advertise-client-urls="$client" \
  --listen-peer-urls="$peer" --initial-advertise-peer-urls="$peer" --initial-cluster="default=$peer" 2>"$folder/etcd.log" &
"$folder/bin/kube-apiserver" --etcd-servers="$client" --secure-port="$port" --bind-address=127.0.0.1 \
  --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" --client-ca-file="$pki/ca.crt" \
  --requestheader-client-ca-file="$pki/front-proxy-ca.crt" --requestheader-allowed-names=front-proxy-client \
  --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
  --requestheader-extra-headers-prefix=X-Remote-Extra- \
  --proxy-client-cert-file="$pki/front-proxy-client.crt" --proxy-client-key-file="$pki/front-proxy-client.key" \
  --service-account-issuer=https://kubernetes.default.svc \
  --service-account-key-file="$pki/sa.pub" --service-account-signing-key-file="$pki/sa.key" \
  --authorization-mode=RBAC --service-cluster-ip-range=10.0.0.0/16 --disable-admission-plugins=ServiceAccount \
  "${@:4}" 2>"$folder/kube-apiserver.log" &
apiserver=$!

ready() { curl -sf --cacert "$pki/ca.crt" --cert "$pki/admin.crt" --key "$pki/admin.key" "https://127.0.0.1:$port/readyz" >/dev/null; }
until ready; do
  kill -0 $apiserver || exit 1
  sleep 0.2
done
echo "the reference server is ready: https://127.0.0.1:$port (kubeconfig $folder/admin.kubeconfig, authorities $pki)"
wait
