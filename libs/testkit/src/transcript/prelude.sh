# Functions that every command of a transcript may call. They ask with curl: a kubectl takes five times as long to start.
ask() { curl -sk --max-time 20 -A transcript --cert "$ADMIN.crt" --key "$ADMIN.key" "$@"; }
get() { ask "$SERVER$1"; }
crds=/apis/apiextensions.k8s.io/v1/customresourcedefinitions namespaces=/api/v1/namespaces
ready() { local g=${1#*.} p=${1%%.*} i; for i in $(seq 100); do is_served "$1" "$g" "$p" && return 0; sleep 0.2; done; return 1; }
is_served() { local v w; v=$(get "$crds/$1" | jq -r 'select(.status.conditions[]?|.type=="Established" and .status=="True")
  |.spec.versions[]|select(.served).name') && [ -n "$v" ] || return 1
  for w in $v; do get "/apis/$2/$w" | grep -q "\"name\":\"$3\"" && get "/openapi/v3/apis/$2/$w" | grep -q "$3" &&
    get /openapi/v3 | grep -q "\"apis/$2/$w\"" || return 1; done
  get /apis | grep -q "\"name\":\"$2\""; }
gone() { ask -X DELETE "$SERVER$crds/$1" >/dev/null; local g=${1#*.} i; for i in $(seq 100); do is_forgotten "$1" "$g" && return 0; sleep 0.2; done; }
is_forgotten() { local left; left=$(get $crds | grep -oE "\"name\":\"[a-z0-9-]+\.$2\"") && { ! grep -q "\"$1\"" <<<"$left"; return; }
  ! get /apis | grep -q "\"name\":\"$2\"" && ! get /openapi/v3 | grep -q "\"apis/$2/"; }
mkuser() { local n=$1 s="" g; shift; for g in "$@"; do s="$s/O=$g"; done
  openssl req -newkey rsa:2048 -nodes -keyout $n.key -out $n.csr -subj "$s/CN=$n" 2>/dev/null &&
  openssl x509 -req -in $n.csr -CA $PKI/ca.crt -CAkey $PKI/ca.key -set_serial 0x$(openssl rand -hex 8) -days 2 -out $n.crt 2>/dev/null; }
zapns() { local n i; for n in "$@"; do ask -X DELETE "$SERVER$namespaces/$n" >/dev/null
  get "$namespaces/$n" | jq '.spec.finalizers=[]' | ask -X PUT -H 'Content-Type: application/json' -d @- "$SERVER$namespaces/$n/finalize" >/dev/null
  for i in $(seq 75); do get "$namespaces/$n" | grep -q '"code":404' && break; sleep 0.2; done; done; true; }
serve() { local i; for i in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/$1) 2>/dev/null && return 0; sleep 0.1; done; return 1; }
