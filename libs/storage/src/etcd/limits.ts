/** Key and value of one write, in bytes: etcd's `--max-request-bytes`. */
export const maxWriteBytes = 1.5 * 1024 * 1024;

/** A message, in bytes: etcd adds 512 KiB for what gRPC needs. */
export const maxEtcdRequestBytes = maxWriteBytes + 512 * 1024;

/** Operations of one transaction: etcd's `--max-txn-ops`. */
export const maxTxnOperations = 128;

/** Requests that are being served at a time: etcd's `maxGapBetweenApplyAndCommitIndex`, beyond which it asks for patience. */
export const maxPendingRequests = 5000;

/** Bytes of responses that their clients have not read yet; beyond it no list begins. etcd has no limit. */
export const maxUnreadResponseBytes = 1024 * 1024 * 1024;

/** Calls that one connection may have open: far more than kube-apiserver has. etcd's `--max-concurrent-streams` has no limit. */
export const maxStreamsPerConnection = 1000;

/** Watches on one stream; etcd has no limit. */
export const maxEtcdWatches = 10_000;

/** Leases that are remembered. etcd has no limit. */
export const maxLeases = 100_000;

/** Seconds of a lease: etcd's `MaxLeaseTTL`. */
export const maxLeaseSeconds = 9_000_000_000;

/** A quiet connection is asked for a sign of life after so many milliseconds: etcd's `--grpc-keepalive-interval`. */
export const keepaliveMilliseconds = 2 * 60 * 60 * 1000;

/** It is closed when there is none for so many milliseconds: etcd's `--grpc-keepalive-timeout`. */
export const keepaliveTimeoutMilliseconds = 20_000;
