/**
 * Why a dial failed: `connect`, the server cannot be reached; `endpoint`, the server or the agent says why; `timeout`; `canceled`,
 * by its caller; `closed`, the tunnel ended before the response.
 */
export type TunnelDialFailure = 'connect' | 'endpoint' | 'timeout' | 'canceled' | 'closed';

/** A connection through the tunnel that could not be opened. */
export class TunnelDialError extends Error {
  override name = 'TunnelDialError';
  readonly reason: TunnelDialFailure;

  constructor(reason: TunnelDialFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
