/** Bytes of one packet on a stream. Source: gRPC's limit for received messages, which upstream programs keep. */
export const maxPacketBytes = 4 * 1024 * 1024;

/** Bytes of data in one packet that is sent: few packets at full speed, and short turns of the connections of a stream. */
export const maxSentDataBytes = 64 * 1024;

/** Bytes that wait in this process for the reader of a stream, before the senders have to wait. */
export const maxUnsentStreamBytes = 1024 * 1024;

/**
 * Bytes of responses to packets that concern no connection, which wait for a peer that does not read: far more than the 20,000 dials that an
 * agent refuses at once.
 */
export const maxUnreadResponsesBytes = 4 * 1024 * 1024;

/**
 * Bytes of one connection that wait for a gRPC client, before its agent has to wait. An agent with windows has sent one window more by
 * then: 832 KiB for a client that does not read, beside what its own HTTP/2 window takes.
 */
export const maxUnreadClientBytes = 256 * 1024;

/** Bytes that wait in a socket, before further ones wait in their streams: two turns of writing. */
export const maxUnsentSocketBytes = 256 * 1024;

/** Milliseconds that a client waits for a connection to its destination. Source: konnectivity-client. */
export const tunnelDialTimeoutMs = 30_000;

/** Milliseconds from the end of one direction of a stream to the end of the other. Source: konnectivity-client's `CloseTimeout`. */
export const streamEndTimeoutMs = 10_000;

/** Bytes that the reader of an HTTP/2 stream lets its peer send before it reads them: a stream has one flow-control window. */
export const streamWindowBytes = 1024 * 1024;

/** Bytes of all streams of an HTTP/2 connection that may be on the way. */
export const connectionWindowBytes = 16 * 1024 * 1024;

/** Bytes of one HTTP/2 frame that this side receives and sends: a packet in few pieces. */
export const maxFrameBytes = 128 * 1024;

/** Bytes of one connection that its sender may send before its receiver consumes them: the extension `window`. */
export const initialWindowBytes = 512 * 1024;
