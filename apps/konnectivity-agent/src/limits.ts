/** Milliseconds for a connection to a destination, its name included. Source: apiserver-network-proxy's agent. */
export const endpointDialTimeoutMs = 5_000;

/** Milliseconds for the bytes that a destination has not read when its connection is closed. */
export const endpointFlushTimeoutMs = 10_000;

/** Milliseconds for the connection to a server: TCP, TLS, and the response of the server. */
export const serverConnectTimeoutMs = 10_000;

/** Connections of one server to destinations, with those being opened. */
export const maxEndpointConnections = 20_000;

/** Servers that an agent connects to. */
export const maxServers = 100;
