import type { ClientRequest } from 'node:http';

/**
 * Node's `http`. An `import` evaluates all of its exports; one of them, WebSocket, loads a client that Annex
 * does not use: 14 MB and a tenth of the start time.
 */
export const nodeHttp = process.getBuiltinModule('node:http');

/** Interim responses (1xx) to one request; Node has no limit. */
export const maxInterimResponses = 100;

/**
 * Fails a request whose server switches protocols, or sends more than {@link maxInterimResponses}. Node reports neither as
 * an error: the first request would wait forever, even beyond its signal, and the second one until its signal aborts.
 */
export function requireFinalResponse(request: ClientRequest): void {
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    request.emit('error', new Error('the server switched protocols, which was not requested'));
  });
  let interim = 0;
  const count = (): void => {
    interim += 1;
    if (interim > maxInterimResponses)
      request.destroy(new Error('the server sent too many interim responses'));
  };
  request.on('continue', count).on('information', count);
}
