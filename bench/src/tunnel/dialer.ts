import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { TunnelDialer } from '@annex/tunnel';

/** How an API server reaches the server of a tunnel. */
export interface Form {
  mode: 'grpc' | 'http-connect';
  transport: 'uds' | 'tcp';
}

/** Opens connections to destinations. */
export interface Dialing extends Disposable {
  dial(address: string): Promise<Duplex>;
}

/** Where a server is, and who connects to it. */
export interface Entrance {
  socket: string;
  port: number;
  ca: string;
  client: { certificate: string; key: string };
}

/** Returns the client of a form: that of Annex's egress selector, or a plain CONNECT request. */
export function dialer({ mode, transport }: Form, { socket, port, ca, client }: Entrance): Dialing {
  const secureContext = createSecureContext({ ca, cert: client.certificate, key: client.key });
  const connect = (): Socket =>
    transport === 'uds'
      ? connectTcp(socket)
      : connectTls({
          host: '127.0.0.1',
          port,
          secureContext,
          ALPNProtocols: [mode === 'grpc' ? 'h2' : 'http/1.1'],
        }).setNoDelay();
  if (mode === 'http-connect')
    return { dial: (address) => connectThrough(connect(), address), [Symbol.dispose]: () => undefined };
  const tunnel = new TunnelDialer({ connect, server: 'the server' });
  return {
    dial: async (address) => (await tunnel.dial(address)).on('error', () => undefined),
    [Symbol.dispose]: () => tunnel.close(),
  };
}

/** Destinations of the benchmark do not speak first, so that only the head is received. */
async function connectThrough(socket: Socket, address: string): Promise<Socket> {
  socket.on('error', () => undefined);
  socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  let head = '';
  while (!head.endsWith('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    head += chunk.toString('latin1');
  }
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`CONNECT was refused: ${head}`);
  return socket;
}
