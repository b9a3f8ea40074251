import type { ClientConnection } from './connections.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';

/** Handles the requests of a listener; `C` is the context of a request. */
export interface RequestRunner<C> {
  /** Creates the context of a new request. `stopping` aborts when the listener stops. */
  createContext(
    req: HttpRequest,
    res: HttpResponse,
    receivedAt: number,
    stopping: AbortSignal,
    connection: ClientConnection | undefined,
  ): C;
  /** Handles a request and all of its errors; a rejection closes the connection. */
  run(ctx: C): Promise<void>;
}
