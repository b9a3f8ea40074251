/** Bytes of the response head of a proxy server to CONNECT. Upstream has 1 MiB; the head of a proxy server has 39 bytes. */
export const maxConnectHeadBytes = 64 * 1024;

/** Bytes of the reason of a refused CONNECT that an error quotes. */
export const maxConnectReasonBytes = 512;

/** Milliseconds for a connection through a proxy server, from the first packet on. Source: Go's default transport. */
export const egressDialTimeoutMs = 30_000;
