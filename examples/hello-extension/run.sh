#!/bin/sh
# Registers the example in the API server of the current kubeconfig and runs it, on this machine, until it is stopped.
# Keeps its certificate, its kubeconfig, its log and its objects in the current folder. The argument is its port.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=hello-extension namespace=hello port=${1:-8444}
umask 077

kubectl apply -f "$here/manifests.yaml"

# The access of its service account.
kubectl config view --raw --minify --flatten -o jsonpath='{.clusters[0].cluster.certificate-authority-data}' |
  base64 -d > api-server-ca.crt
access() { kubectl --kubeconfig hello.kubeconfig config "$@" > /dev/null; }
access set-cluster here --certificate-authority=api-server-ca.crt \
  --server="$(kubectl config view --minify -o jsonpath='{.clusters[0].cluster.server}')"
access set-credentials "$name" --token="$(kubectl create token "$name" -n "$namespace")"
access set-context here --cluster=here --user="$name"
access use-context here

# In the repository, the pinned Node runs the sources of the SDK.
node="$here/../../node_modules/.bin/node"
[ -x "$node" ] || node=node
"$node" "$here/hello-extension.ts" --kubeconfig=hello.kubeconfig \
  --secure-port="$port" --service-names=hello.hello.svc,localhost --data-dir=greetings \
  --authorization-webhook-cache-unauthorized-ttl=1s > hello-extension.log 2>&1 &
server=$!
trap 'kill $server; wait $server' TERM INT EXIT
until grep 'is ready' hello-extension.log; do
  kill -0 $server || { cat hello-extension.log >&2; exit 1; }
  sleep 0.1
done
port=$(sed -n 's/.*is ready.*:\([0-9]*\)$/\1/p' hello-extension.log)

kubectl apply -f - << YAML
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1alpha1.hello.example.com }
spec:
  group: hello.example.com
  version: v1alpha1
  groupPriorityMinimum: 1000
  versionPriority: 15
  service: { namespace: $namespace, name: hello, port: $port }
  caBundle: $(base64 < tls/ca.crt | tr -d '\n')
YAML
kubectl wait --for=condition=Available apiservice/v1alpha1.hello.example.com
wait $server
