import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { SecureContext } from 'node:tls';

/** A response head, and its body as a stream. */
export interface ClientMessage extends Readable {
  statusCode?: number | undefined;
  headers: IncomingHttpHeaders;
}

/** An outgoing request. */
export interface Outgoing {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body: Uint8Array | undefined;
  signal: AbortSignal | undefined;
}

/** The connection pool of one server. */
export interface Connections {
  open(outgoing: Outgoing): Promise<ClientMessage>;
  close(): void;
}

/** Connections that others can replace. */
export interface RetirableConnections extends Connections {
  /** Closes idle connections, and each other one after its requests. */
  retire(): void;
  /** True if no request is open. */
  isUnused(): boolean;
}

/** The TLS settings of a connection. */
export interface Endpoint {
  url: URL;
  secureContext: SecureContext;
  rejectUnauthorized: boolean;
  servername?: string;
}
