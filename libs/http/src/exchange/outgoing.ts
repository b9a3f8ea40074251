import type { Readable } from 'node:stream';
import type { HeaderList } from '../header-list.ts';
import type { Information } from '../http1/exchange.ts';
import type { HttpResponse } from '../listener/http-message.ts';
import type { Endpoint } from './endpoint.ts';
import type { Transport } from './transport.ts';

/** A request to a backend, ready to be sent. */
export interface Outgoing {
  transport: Transport;
  endpoint: Endpoint;
  method: string;
  /** Encoded path and query. */
  path: string;
  headers: HeaderList;
  body?: Readable | undefined;
  /** The length of the body is unknown: it is sent in chunks. */
  chunked?: boolean;
  /** Requests another protocol, on a separate connection. */
  upgrade?: boolean;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
  /**
   * The client's response: the request ends when it closes. Cheaper than `signal`, because an abort creates
   * an error with a stack for each request, and this is one listener.
   */
  clientResponse?: HttpResponse;
  /** Called with interim responses (1xx). */
  onInformation?: (information: Information) => void;
}
