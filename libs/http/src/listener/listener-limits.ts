import { maxHeadBytes } from '../exchange/limits.ts';
import { livenessTimes } from './connections.ts';

/** The head of a request in bytes, on both protocols. */
export const maxRequestHeadBytes = 64 * 1024;

/**
 * Header lines of a request, those of HTTP/2 with a colon among them; more is 431 or the end of the stream. Where a runtime drops lines
 * beyond a limit, it passes on one more than this, so that no request is served without all of its headers.
 */
export const maxRequestHeadLines = 1000;

/** Time for a TLS handshake, in milliseconds. */
export const handshakeTimeoutMs = 15_000;

/** Time for the head of a request over HTTP/1.1, in milliseconds; for its body where no deadline applies, such as a proxied one. */
export const headTimeoutMs = livenessTimes.unauthenticatedIdleMs;
export const bodyTimeoutMs = 300_000;

/** How often the two times before are checked, in milliseconds. */
const checkMs = 5_000;

/** Streams of one HTTP/2 connection at a time. That of extension servers in Go, whose clients multiplex watches. */
export const defaultMaxStreams = 1000;

/** Memory of one HTTP/2 connection in MB, beyond which new streams are refused. */
export const maxSessionMegabytes = 64;

/** What Node enforces for every connection. */
export const nodeLimits = {
  maxHeaderSize: maxRequestHeadBytes,
  maxHeaderListPairs: maxRequestHeadLines + 1,
  headersTimeout: headTimeoutMs,
  requestTimeout: bodyTimeoutMs,
  connectionsCheckingInterval: checkMs,
  handshakeTimeout: handshakeTimeoutMs,
  // As kube-apiserver. Clients that keep connections for less never send into one that is just being closed.
  http1Options: { keepAliveTimeout: livenessTimes.idleMs },
  maxSessionMemory: maxSessionMegabytes,
  // The heads of extension servers are passed on whole, whatever their compression adds.
  maxSendHeaderBlockLength: 2 * maxHeadBytes,
} as const;

/** What the server tells clients of HTTP/2. */
export const http2Settings = (maxConcurrentStreams: number) => ({
  maxConcurrentStreams,
  initialWindowSize: 1024 * 1024,
  maxHeaderListSize: maxRequestHeadBytes,
});
