import type { ForeignFlag, ForeignFlags } from '@annex/runtime';

/**
 * A flag of kube-apiserver 1.36: `effect` if an option of `annex up` has its name and its meaning. `accepted` flags change nothing, and
 * the text says what Annex does instead. `refused` flags would change something that users rely on, and the text says what is missing.
 */
export type KubeApiserverFlag = 'effect' | ForeignFlag;

const effect = 'effect';
const accepted = (why: string): ForeignFlag => ({ type: 'value', fate: 'accepted', why });
const acceptedSwitch = (why: string): ForeignFlag => ({ type: 'bool', fate: 'accepted', why });
const refused = (why: string): ForeignFlag => ({ type: 'value', fate: 'refused', why });

const oneVersion = 'The behavior is always that of 1.36.';
const noKubelets = 'There are no kubelets: requests for logs and exec are not served.';
const noPeers = 'Requests are not proxied to servers of other versions.';
const noProfiles = 'There are no profiles at `/debug/pprof`.';
const leases = 'Leaders are elected by their Leases only.';
const unbuffered = 'Each log line is written at once.';
const logLevel = '`--log-level` selects what is logged.';
const allLabels = 'Metrics have all their labels.';
const noMetrics = 'There are no metrics of this kind.';
const plainPort = 'The port is bound without options.';
const standardError = 'Logs are written to standard error.';
const etcdTimeout = 'A health check of etcd has the timeout of every call, 10 s.';

/** The flags of kube-apiserver 1.36 by group, as its `--help` lists them. */
export const kubeApiserverFlags: Readonly<Record<string, Readonly<Record<string, KubeApiserverFlag>>>> = {
  Generic: {
    'advertise-address': effect,
    'cors-allowed-origins': effect,
    'emulated-version': accepted(oneVersion),
    'emulation-forward-compatible': acceptedSwitch(oneVersion),
    'external-hostname': effect,
    'feature-gates': accepted('Features are those that 1.36 enables by default.'),
    'goaway-chance': accepted('HTTP/2 connections end only with the server.'),
    'livez-grace-period': accepted('`/livez` succeeds as soon as the server listens.'),
    'max-mutating-requests-inflight': effect,
    'max-requests-inflight': effect,
    'min-compatibility-version': accepted(oneVersion),
    'min-request-timeout': accepted('Watches end after 30 to 60 minutes.'),
    'request-timeout': effect,
    'runtime-config-emulation-forward-compatible': acceptedSwitch(oneVersion),
    'shutdown-delay-duration': effect,
    'shutdown-send-retry-after': acceptedSwitch(
      'The server stops accepting connections after `--shutdown-delay-duration`.',
    ),
    'shutdown-watch-termination-grace-period': accepted('Watches end when the server stops.'),
    'storage-initialization-timeout': accepted('The server listens after it has read the store.'),
    'strict-transport-security-directives': accepted('No response has the header Strict-Transport-Security.'),
  },
  Etcd: {
    'delete-collection-workers': accepted('The number of concurrent deletions is fixed.'),
    'enable-garbage-collector': acceptedSwitch(
      'Finalizers of the garbage collector are always set; `--controllers` selects the collector.',
    ),
    'encryption-provider-config': effect,
    'encryption-provider-config-automatic-reload': effect,
    'etcd-cafile': effect,
    'etcd-certfile': effect,
    'etcd-compaction-interval': accepted('The history of the last 5 minutes is kept.'),
    'etcd-count-metric-poll-period': accepted(noMetrics),
    'etcd-db-metric-poll-interval': accepted(noMetrics),
    'etcd-healthcheck-timeout': accepted(etcdTimeout),
    'etcd-keyfile': effect,
    'etcd-prefix': effect,
    'etcd-readycheck-timeout': accepted(etcdTimeout),
    'etcd-servers': effect,
    'etcd-servers-overrides': refused('all kinds are stored in the same etcd'),
    'lease-reuse-duration-seconds': accepted('Leases of etcd are reused for at most one minute.'),
    'storage-backend': accepted('etcd and the own store have the same behavior.'),
    'storage-media-type': accepted('Objects are stored as JSON.'),
    'watch-cache': acceptedSwitch('Every kind has a watch cache.'),
    'watch-cache-sizes': accepted('The size of a watch cache depends on its load.'),
  },
  'Secure serving': {
    'bind-address': effect,
    'cert-dir': effect,
    'disable-http2-serving': acceptedSwitch('HTTP/2 is always served.'),
    'http2-max-streams-per-connection': effect,
    'permit-address-sharing': acceptedSwitch(plainPort),
    'permit-port-sharing': acceptedSwitch(plainPort),
    'secure-port': effect,
    'tls-cert-file': effect,
    'tls-cipher-suites': effect,
    'tls-curve-preferences': effect,
    'tls-min-version': effect,
    'tls-private-key-file': effect,
    'tls-sni-cert-key': effect,
  },
  Auditing: {
    'audit-log-batch-buffer-size': effect,
    'audit-log-batch-max-size': effect,
    'audit-log-batch-max-wait': effect,
    'audit-log-batch-throttle-burst': effect,
    'audit-log-batch-throttle-enable': effect,
    'audit-log-batch-throttle-qps': effect,
    'audit-log-compress': effect,
    'audit-log-format': effect,
    'audit-log-maxage': effect,
    'audit-log-maxbackup': effect,
    'audit-log-maxsize': effect,
    'audit-log-mode': effect,
    'audit-log-path': effect,
    'audit-log-truncate-enabled': effect,
    'audit-log-truncate-max-batch-size': effect,
    'audit-log-truncate-max-event-size': effect,
    'audit-log-version': effect,
    'audit-policy-file': effect,
    'audit-webhook-batch-buffer-size': effect,
    'audit-webhook-batch-max-size': effect,
    'audit-webhook-batch-max-wait': effect,
    'audit-webhook-batch-throttle-burst': effect,
    'audit-webhook-batch-throttle-enable': effect,
    'audit-webhook-batch-throttle-qps': effect,
    'audit-webhook-config-file': effect,
    'audit-webhook-initial-backoff': effect,
    'audit-webhook-mode': effect,
    'audit-webhook-truncate-enabled': effect,
    'audit-webhook-truncate-max-batch-size': effect,
    'audit-webhook-truncate-max-event-size': effect,
    'audit-webhook-version': effect,
  },
  Features: {
    'contention-profiling': acceptedSwitch(noProfiles),
    'debug-socket-path': accepted(noProfiles),
    'enable-priority-and-fairness': effect,
    profiling: acceptedSwitch(noProfiles),
  },
  Authentication: {
    'anonymous-auth': effect,
    'api-audiences': effect,
    'authentication-config': effect,
    'authentication-token-webhook-cache-ttl': effect,
    'authentication-token-webhook-config-file': effect,
    'authentication-token-webhook-version': effect,
    'client-ca-file': effect,
    'enable-bootstrap-token-auth': effect,
    'oidc-ca-file': effect,
    'oidc-client-id': effect,
    'oidc-groups-claim': effect,
    'oidc-groups-prefix': effect,
    'oidc-issuer-url': effect,
    'oidc-required-claim': effect,
    'oidc-signing-algs': effect,
    'oidc-username-claim': effect,
    'oidc-username-prefix': effect,
    'requestheader-allowed-names': effect,
    'requestheader-client-ca-file': effect,
    'requestheader-extra-headers-prefix': effect,
    'requestheader-group-headers': effect,
    'requestheader-uid-headers': effect,
    'requestheader-username-headers': effect,
    'service-account-extend-token-expiration': effect,
    'service-account-issuer': effect,
    'service-account-jwks-uri': effect,
    'service-account-key-file': effect,
    'service-account-lookup': effect,
    'service-account-max-token-expiration': effect,
    'token-auth-file': effect,
  },
  Authorization: {
    'authorization-config': effect,
    'authorization-mode': effect,
    'authorization-policy-file': effect,
    'authorization-webhook-cache-authorized-ttl': effect,
    'authorization-webhook-cache-unauthorized-ttl': effect,
    'authorization-webhook-config-file': effect,
    'authorization-webhook-version': effect,
  },
  'API enablement': {
    'runtime-config': effect,
  },
  'Egress selector': {
    'egress-selector-config-file': effect,
  },
  Admission: {
    'admission-control': refused('use --enable-admission-plugins and --disable-admission-plugins'),
    'admission-control-config-file': effect,
    'default-not-ready-toleration-seconds': effect,
    'default-unreachable-toleration-seconds': effect,
    'disable-admission-plugins': effect,
    'enable-admission-plugins': effect,
  },
  Metrics: {
    'allow-metric-labels': accepted(allLabels),
    'allow-metric-labels-manifest': accepted(allLabels),
    'disabled-metrics': accepted('All metrics are enabled.'),
    'show-hidden-metrics-for-version': accepted('No metric is hidden.'),
  },
  Logs: {
    'log-flush-frequency': accepted(unbuffered),
    'log-json-info-buffer-size': accepted(unbuffered),
    'log-json-split-stream': acceptedSwitch(standardError),
    'log-text-info-buffer-size': accepted(unbuffered),
    'log-text-split-stream': acceptedSwitch(standardError),
    'logging-format': accepted('`--log-format` selects the format.'),
    v: accepted(logLevel),
    vmodule: accepted(logLevel),
  },
  Traces: {
    'tracing-config-file': accepted(
      '`annex trace` shows what happened to a request; there are no OpenTelemetry spans.',
    ),
  },
  Misc: {
    'aggregator-reject-forwarding-redirect': acceptedSwitch(
      'Redirects of extension API servers are always rejected.',
    ),
    'allow-privileged': acceptedSwitch(
      'Pods with privileged containers are always stored: no node runs them.',
    ),
    'coordinated-leadership-lease-duration': accepted(leases),
    'coordinated-leadership-renew-deadline': accepted(leases),
    'coordinated-leadership-retry-period': accepted(leases),
    'enable-aggregator-routing': effect,
    'enable-logs-handler': acceptedSwitch('There is no handler at `/logs`.'),
    'endpoint-reconciler-type': accepted('The Service `kubernetes` has the address of this server.'),
    'event-ttl': effect,
    'kubelet-certificate-authority': accepted(noKubelets),
    'kubelet-client-certificate': accepted(noKubelets),
    'kubelet-client-key': accepted(noKubelets),
    'kubelet-preferred-address-types': accepted(noKubelets),
    'kubelet-timeout': accepted(noKubelets),
    'kubernetes-service-node-port': accepted('The Service `kubernetes` has the type ClusterIP.'),
    'max-connection-bytes-per-sec': accepted('Connections are not throttled.'),
    'peer-advertise-ip': accepted(noPeers),
    'peer-advertise-port': accepted(noPeers),
    'peer-ca-file': accepted(noPeers),
    'proxy-client-cert-file': effect,
    'proxy-client-key-file': effect,
    'service-account-signing-endpoint': refused(
      'tokens are signed with the key of --service-account-signing-key-file',
    ),
    'service-account-signing-key-file': effect,
    'service-cluster-ip-range': effect,
    'service-node-port-range': accepted('Node ports are 30000 to 32767, the default of kube-apiserver.'),
  },
};

/** The flags that `annex up` does not have itself. */
const foreignFlags: ForeignFlags = new Map(
  Object.values(kubeApiserverFlags)
    .flatMap((group) => Object.entries(group))
    .filter((entry): entry is [string, ForeignFlag] => entry[1] !== effect),
);

/** The program whose flags `annex up` accepts. */
export const kubeApiserver = {
  program: 'kube-apiserver',
  flags: foreignFlags,
};
