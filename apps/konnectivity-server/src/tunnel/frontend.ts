import type { Buffer } from 'node:buffer';

/** The client's side of a connection. */
export interface Frontend {
  /** Sends bytes of the destination to the client. */
  data(data: Buffer | Uint8Array): void;
  /** The destination sends no more. */
  halfClosed(): void;
  /** The connection is over; an error is not empty. */
  closed(error: string): void;
  /** Ends the client's side, and drops what waits for the client. */
  abort(reason: string): void;
  /** Bytes that wait for the client. */
  readonly unsentBytes: number;
  /** The client reads more slowly than the destination sends. */
  readonly mustWait: boolean;
  /** Calls back once, when the client has read what waits for it, or is gone. */
  whenDrained(callback: () => void): void;
}

/** Why a dial failed: the label `reason` of `dial_failure_count`. */
export type DialFailure =
  | 'no_agent'
  | 'error_response'
  | 'unrecognized_response'
  | 'backend_close'
  | 'backend_dial_timeout'
  | 'frontend_close';

/** Who waits for a dial. */
export interface DialHandler {
  /** Returns the client's side. */
  connected(connection: Connection): Frontend;
  failed(message: string, reason: DialFailure): void;
}

/** The agent's side of a connection, as a frontend uses it. */
export interface Connection {
  /** The id that the agent chose. */
  readonly id: number;
  /** Sends bytes of the client to the destination. */
  send(data: Buffer): void;
  /** The destination reads more slowly than the client sends. */
  readonly mustWait: boolean;
  /** Calls back once, when more can be sent, or the connection is over. There is one waiting sender. */
  whenWritable(callback: () => void): void;
  /** The client sends no more. */
  halfClose(): void;
  /** Ends the connection; `closed` of the frontend follows. */
  close(): void;
}
