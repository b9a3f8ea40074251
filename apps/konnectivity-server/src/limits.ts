/** Milliseconds that the server waits for an agent to connect to a destination. Agents have 5 s for it. */
export const backendDialTimeoutMs = 10_000;

/** Milliseconds that the server waits for an agent to close a connection; then the connection is forgotten. */
export const backendCloseTimeoutMs = 10_000;

/** Bytes of the address of a destination: a DNS name, a colon and a port have far less. */
export const maxAddressBytes = 1_024;

/** Bytes of the head of an HTTP CONNECT request. */
export const maxConnectRequestBytes = 16 * 1024;

/** Connections of agents. A cluster has at most 5,000 nodes. */
export const maxAgentConnections = 10_000;

/** Connections of API servers: one for each gRPC dial of konnectivity-client, or for each CONNECT request. */
export const maxFrontendConnections = 20_000;

/** Milliseconds for the head of a CONNECT request, and for the first stream of an HTTP/2 connection. */
export const firstRequestTimeoutMs = 10_000;

/** Connections of one gRPC frontend: every one is a stream. */
export const maxFrontendStreams = 20_000;

/** Streams of one connection of an agent: it needs one. */
export const maxAgentStreams = 8;

/** Dials that wait for one agent. Source: none; an agent responds within seconds. */
export const maxPendingDials = 10_000;

/** Bytes of all connections that wait for their clients: 300 clients that do not read. */
export const maxUnreadClientsBytes = 256 * 1024 * 1024;
