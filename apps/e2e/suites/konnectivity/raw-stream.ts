import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import {
  connectSession,
  type Extension,
  announceExtensions,
  openStream,
  type PacketOf,
  type PacketStream,
  type PacketType,
  type ReceivedPacket,
} from '@annex/tunnel';

/** A stream whose packets are written by hand. */
export interface RawStream extends Disposable {
  packets: PacketStream;
  received: ReceivedPacket[];
  headers: Record<string, unknown>;
  /** Resolves to the next packet of a type that was not taken before. */
  next<T extends PacketType>(type: T): Promise<PacketOf<T>>;
  /** Resolves to the error of the status when the stream is gone. */
  closed: Promise<Error | undefined>;
}

/** Opens a stream, as an agent or as the API server. */
export async function rawStream(
  connection: Duplex,
  path: '/AgentService/Connect' | '/ProxyService/Proxy',
  metadata: Record<string, string> = {},
  extensions: readonly Extension[] = [],
): Promise<RawStream> {
  const session = connectSession(() => connection);
  session.on('error', () => undefined);
  await once(session, 'connect');
  const stream = openStream(session, path, {
    ...metadata,
    ...(extensions.length > 0 ? announceExtensions(extensions) : {}),
  });
  const received: ReceivedPacket[] = [];
  const waiting = new Set<() => void>();
  let taken = 0;
  const closed = Promise.withResolvers<Error | undefined>();
  let status: Error | undefined;
  stream.onStatus((error) => (status = error));
  stream.packets.start({
    packet(packet) {
      received.push(packet.type === 'DATA' ? { ...packet, data: Buffer.from(packet.data) } : packet);
      for (const wake of [...waiting]) wake();
    },
    closed: (error) => closed.resolve(status ?? error),
  });
  const headers = path === '/AgentService/Connect' ? await stream.headers : {};
  return {
    packets: stream.packets,
    received,
    headers,
    closed: closed.promise,
    async next(type) {
      for (;;) {
        const at = received.findIndex((packet, index) => index >= taken && packet.type === type);
        if (at >= 0) {
          taken = at + 1;
          return received[at] as PacketOf<typeof type>;
        }
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
    [Symbol.dispose]: () => session.destroy(),
  };
}
