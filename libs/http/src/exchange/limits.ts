// Limits on responses of extension servers, of Annex apps in other processes, and of webhooks.

/**
 * Bytes of all heads of one response: those of interim responses (1xx) and the final one. Go's transport
 * allows 10 MiB; here a head is stored whole, and several times over as strings, for each request.
 */
export const maxHeadBytes = 1024 * 1024;

/** Header lines in a head. The parts of a folded line count separately. Go has no such limit. */
export const maxHeadLines = 10_000;

/** Characters of a malformed line that an error message quotes. */
export const maxQuotedChars = 4096;

/** Interim responses (1xx) to one request over HTTP/2, as in Go's transport. */
export const maxHttp2InterimResponses = 5;
