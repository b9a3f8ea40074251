// Limits on what an extension server, an app of ours in another process, or a webhook can send in response to a request.

/**
 * All heads of one response in bytes: those of interim responses (1xx) and the final one. Go's transport allows 10 MiB; a head is
 * kept whole, and several times over as strings, for each request.
 */
export const maxHeadBytes = 1024 * 1024;

/** Header lines in a head. The parts of a folded line count one by one. Go has no such limit. */
export const maxHeadLines = 10_000;

/** Characters of a malformed line that an error message quotes. */
export const maxQuotedChars = 4096;

/** Interim responses (1xx) to one request over HTTP/2, as in Go's transport. */
export const maxHttp2InterimResponses = 5;
