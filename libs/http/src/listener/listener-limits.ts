import { maxHeadBytes } from '../exchange/limits.ts';
import { livenessTimes } from './connections.ts';

/** Bytes of the head of a request, for both protocols. */
export const maxRequestHeadBytes = 64 * 1024;

/**
 * Header lines of a request, including the pseudo-headers of HTTP/2; more result in 431 or the end of the
 * stream. If a runtime drops lines beyond a limit, its limit is one higher than this one, so that no request
 * is served without all of its headers.
 */
export const maxRequestHeadLines = 1000;

/** Milliseconds for a TLS handshake. */
export const handshakeTimeoutMs = 15_000;

/**
 * Milliseconds for the head of an HTTP/1.1 request; also for its body if it has no deadline, for example a
 * proxied one.
 */
export const headTimeoutMs = livenessTimes.unauthenticatedIdleMs;
/** Milliseconds for the whole request, including its body. */
export const bodyTimeoutMs = 300_000;

/** The interval in which these two timeouts are checked, in milliseconds. */
const checkMs = 5_000;

/**
 * Concurrent streams of one HTTP/2 connection. Equal to that of extension servers in Go, whose clients
 * multiplex watches.
 */
export const defaultMaxStreams = 1000;

/** MB of memory of one HTTP/2 connection, beyond which new streams are refused. */
export const maxSessionMegabytes = 64;

/**
 * What Node enforces for connections of HTTP/1.1. These are properties of the server: Node 22 and early releases of
 * Node 24 do not read the options of the same names from those of an HTTP/2 server.
 */
export const http1Limits = {
  maxHeaderSize: maxRequestHeadBytes,
  maxHeadersCount: maxRequestHeadLines + 1,
  headersTimeout: headTimeoutMs,
  requestTimeout: bodyTimeoutMs,
  connectionsCheckingInterval: checkMs,
  requireHostHeader: true,
  // As in kube-apiserver. Clients with a shorter idle timeout never send into a connection that is closing.
  keepAliveTimeout: livenessTimes.idleMs,
} as const;

/** What Node enforces for connections of HTTP/2, and for handshakes. */
export const http2Limits = {
  maxHeaderListPairs: maxRequestHeadLines + 1,
  handshakeTimeout: handshakeTimeoutMs,
  maxSessionMemory: maxSessionMegabytes,
  // The heads of extension servers are forwarded completely, including the overhead of compression.
  maxSendHeaderBlockLength: 2 * maxHeadBytes,
} as const;

/** The settings sent to clients of HTTP/2. */
export const http2Settings = (maxConcurrentStreams: number) => ({
  maxConcurrentStreams,
  initialWindowSize: 1024 * 1024,
  maxHeaderListSize: maxRequestHeadBytes,
});
