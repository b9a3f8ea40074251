import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientConnection } from './connections.ts';

/** Handles the requests of a listener; `C` is the context of a request. */
export interface RequestRunner<C> {
  /** Creates the context of a new request. `stopping` aborts when the listener stops. */
  createContext(
    req: IncomingMessage,
    res: ServerResponse,
    receivedAt: number,
    stopping: AbortSignal,
    connection: ClientConnection | undefined,
  ): C;
  /** Handles a request and all of its errors; a rejection closes the connection. */
  run(ctx: C): Promise<void>;
}
