import type { IncomingMessage } from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { hostOf, nodeHttp } from '@annex/runtime';
import type { ForwardTarget } from './forward-request.ts';
import { outgoingHeaders } from './outgoing-headers.ts';
import { plainResponse } from './plain-response.ts';
import { writePlain, writeResponse } from './raw-response.ts';

/** How upgrades are forwarded. */
export interface UpgradeTarget extends ForwardTarget {
  /** Milliseconds; 0 is without TCP keepalive. */
  keepaliveMs: number;
  /** Returns the text of an error of the connection to the server. */
  describe(error: Error): string;
}

/** Forwards a request that changes the protocol, WebSocket or SPDY, and joins both connections if the server accepts. */
export function forwardUpgrade(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  target: string,
  { agent, describe, identity, keepaliveMs, url }: UpgradeTarget,
): void {
  const { connection = 'Upgrade', upgrade = '' } = request.headers;
  const { request: send } = url.protocol === 'http:' ? nodeHttp : https;
  const sent = send({
    agent,
    host: hostOf(url),
    port: url.port || undefined,
    method: request.method,
    path: target,
    headers: { ...outgoingHeaders(request, identity), connection, upgrade },
  });
  // Its end must not be lost while nobody reads.
  client.pause();
  if (head.length > 0) client.unshift(head);
  client.once('close', () => sent.destroy());
  sent.once('upgrade', (response: IncomingMessage, server: Socket, first: Buffer) => {
    for (const socket of [client as Socket, server]) {
      socket.setTimeout(0);
      socket.setNoDelay(true);
      if (keepaliveMs > 0) socket.setKeepAlive(true, keepaliveMs);
    }
    writeResponse(client, response);
    if (first.length > 0) server.unshift(first);
    join(client, server);
  });
  sent.once('response', (response) => {
    const { statusCode = 0 } = response;
    if (statusCode < 400) {
      response.destroy();
      return writePlain(client, plainResponse(500, `invalid upgrade response: status code ${statusCode}`));
    }
    writeResponse(client, response, { connection: 'close' });
    pipeline(response, client, () => client.destroy());
  });
  sent.once('error', (error) =>
    writePlain(client, plainResponse(500, `error dialing backend: ${describe(error)}`)),
  );
  sent.end();
}

/** Joins both directions with back-pressure. The end of one side leaves the other one open; a connection that breaks off ends both. */
function join(client: Duplex, server: Duplex): void {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on('error', () => to.destroy());
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
    });
    if (from.readableEnded) to.end();
    else from.pipe(to);
  }
}
