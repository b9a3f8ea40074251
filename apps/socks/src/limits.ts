/** Milliseconds from the connection to a complete request: method, credentials, destination. */
export const socksHandshakeTimeoutMs = 10_000;

/** Milliseconds for the connection to the destination, its names included. */
export const socksDialTimeoutMs = 30_000;

/** Milliseconds without data after which TCP asks whether the other side is still there. */
export const socksKeepAliveMs = 30_000;
