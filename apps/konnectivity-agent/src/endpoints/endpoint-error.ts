/** Why a destination cannot be reached; the message is for the client of the tunnel. */
export class EndpointError extends Error {
  override name = 'EndpointError';
  /** The label of the metric. */
  readonly reason: 'timeout' | 'unknown';

  constructor(message: string, reason: 'timeout' | 'unknown' = 'unknown') {
    super(message);
    this.reason = reason;
  }
}

const errnoTexts = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['EHOSTUNREACH', 'no route to host'],
  ['ENETUNREACH', 'network is unreachable'],
  ['EADDRNOTAVAIL', 'cannot assign requested address'],
  ['ECONNRESET', 'connection reset by peer'],
  ['ETIMEDOUT', 'connection timed out'],
  ['EACCES', 'permission denied'],
  ['EMFILE', 'too many open files'],
]);

/** Returns Go's text of a failed connect. */
export function connectErrorText(error: NodeJS.ErrnoException, at: string): string {
  return `dial tcp ${at}: connect: ${errnoTexts.get(error.code ?? '') ?? error.message}`;
}
