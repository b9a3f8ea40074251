import { once } from 'node:events';
import type { Duplex } from 'node:stream';

/** A CONNECT request that was refused. */
export class ConnectRefusal extends Error {
  readonly status: string;

  constructor(status: string, body: string) {
    super(body);
    this.status = status;
  }
}

const headEnd = '\r\n\r\n';

/** Sends a CONNECT request as the API server does. Rejects with {@link ConnectRefusal}. */
export async function connectThrough(connection: Duplex, address: string): Promise<Duplex> {
  const failed = once(connection, 'close').then(() => {
    throw new Error('the connection was closed');
  });
  failed.catch(() => undefined);
  connection.on('error', () => undefined);
  connection.write(`CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  let head = '';
  while (!head.includes(headEnd)) {
    await Promise.race([once(connection, 'readable'), failed]);
    head += (connection.read() as Buffer | null)?.toString('latin1') ?? '';
  }
  const end = head.indexOf(headEnd) + headEnd.length;
  const rest = Buffer.from(head.slice(end), 'latin1');
  const status = head.slice('HTTP/1.1 '.length, head.indexOf('\r\n'));
  if (!status.startsWith('200')) {
    const chunks: Buffer[] = [rest];
    for await (const chunk of connection) chunks.push(chunk as Buffer);
    throw new ConnectRefusal(status, Buffer.concat(chunks).toString());
  }
  if (rest.length > 0) connection.unshift(rest);
  return connection;
}
