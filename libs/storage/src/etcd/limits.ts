/** Key and value of one write, in bytes: etcd's `--max-request-bytes`. */
export const maxWriteBytes = 1.5 * 1024 * 1024;

/** Bytes of a message: etcd adds 512 KiB for the overhead of gRPC. */
export const maxEtcdRequestBytes = maxWriteBytes + 512 * 1024;

/** Operations of one transaction: etcd's `--max-txn-ops`. */
export const maxTxnOperations = 128;

/**
 * Concurrent requests: etcd's `maxGapBetweenApplyAndCommitIndex`, beyond which it responds with "too many
 * requests".
 */
export const maxPendingRequests = 5000;

/**
 * Bytes of responses that their clients have not read yet; beyond it lists are refused. etcd has no limit.
 */
export const maxUnreadResponseBytes = 1024 * 1024 * 1024;

/**
 * Calls that one connection may have open: far more than kube-apiserver uses. etcd's
 * `--max-concurrent-streams` has no limit.
 */
export const maxStreamsPerConnection = 1000;

/** Watches on one stream; etcd has no limit. */
export const maxEtcdWatches = 10_000;

/** Leases in the lease table. etcd has no limit. */
export const maxLeases = 100_000;

/** Seconds of a lease: etcd's `MaxLeaseTTL`. */
export const maxLeaseSeconds = 9_000_000_000;

/** Milliseconds without data after which a connection is pinged: etcd's `--grpc-keepalive-interval`. */
export const keepaliveMilliseconds = 2 * 60 * 60 * 1000;

/**
 * Milliseconds without a ping response after which a connection is closed: etcd's `--grpc-keepalive-timeout`.
 */
export const keepaliveTimeoutMilliseconds = 20_000;
