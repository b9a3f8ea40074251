# Functions that every command of a transcript may call.
ready() { kubectl wait --for=condition=Established "crd/$1" --timeout=20s >/dev/null || return 1
  local g=${1#*.} p=${1%%.*} v i; for i in $(seq 100); do v=$(kubectl get crd "$1" -o jsonpath='{.spec.versions[?(@.served==true)].name}')
  local ok=1 w; for w in $v; do kubectl get --raw "/apis/$g/$w" 2>/dev/null | grep -q "\"name\":\"$p\"" &&
    kubectl get --raw "/openapi/v3/apis/$g/$w" 2>/dev/null | grep -q "$p" &&
    kubectl get --raw /openapi/v3 | grep -q "\"apis/$g/$w\"" || ok=0; done
  kubectl get --raw /apis | grep -q "\"$g\"" || ok=0; [ $ok = 1 ] && return 0; sleep 0.2; done; return 1; }
gone() { kubectl delete crd "$1" --ignore-not-found >/dev/null 2>&1; local g=${1#*.} p=${1%%.*} i
  for i in $(seq 100); do kubectl get --raw /apis | jq -e --arg g "$g" '.groups|map(.name)|index($g)|not' >/dev/null &&
  ! kubectl get --raw /openapi/v3 | grep -q "\"apis/$g/" && return 0
  kubectl get crd -o name | grep -q "\.$g\$" && return 0; sleep 0.2; done; }
mkuser() { local n=$1 s="" g; shift; for g in "$@"; do s="$s/O=$g"; done
  openssl req -newkey rsa:2048 -nodes -keyout $n.key -out $n.csr -subj "$s/CN=$n" 2>/dev/null &&
  openssl x509 -req -in $n.csr -CA $PKI/ca.crt -CAkey $PKI/ca.key -set_serial 0x$(openssl rand -hex 8) -days 2 -out $n.crt 2>/dev/null; }
zapns() { local n; for n in "$@"; do kubectl delete ns $n --wait=false >/dev/null 2>&1
  kubectl get ns $n -o json 2>/dev/null | jq '.spec.finalizers=[]' | kubectl replace --raw /api/v1/namespaces/$n/finalize -f - >/dev/null 2>&1
  kubectl wait --for=delete ns/$n --timeout=15s >/dev/null 2>&1; done; true; }
serve() { local i; for i in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/$1) 2>/dev/null && return 0; sleep 0.1; done; return 1; }
