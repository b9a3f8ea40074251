import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import {
  connectSession,
  openStream,
  type Packet,
  type PacketStream,
  type ReceivedPacket,
} from '@annex/tunnel';

/** Milliseconds for what is expected next. */
const expectationMs = 20_000;

/** Waits until a value is there. Throws with the sentence if it does not come. */
async function eventually<T>(what: string, find: () => T | undefined, ms = expectationMs): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new Error(`${what} did not arrive`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The packets that arrived on a stream. */
export class Inbox {
  readonly #others: ReceivedPacket[] = [];
  /** Bytes that arrived and were expected, by connection. */
  readonly #arrived = new Map<number, number>();
  readonly #expected = new Map<number, number>();

  add(packet: ReceivedPacket): void {
    if (packet.type !== 'DATA') return void this.#others.push(packet);
    this.#arrived.set(packet.connectId, (this.#arrived.get(packet.connectId) ?? 0) + packet.data.length);
  }

  /** Throws if the packet does not arrive; bytes of a connection may arrive in other pieces. */
  async expect(packet: Packet): Promise<ReceivedPacket> {
    if (packet.type === 'DATA') {
      const { connectId, data } = packet;
      const total = (this.#expected.get(connectId) ?? 0) + data.length;
      this.#expected.set(connectId, total);
      return await eventually(`${total} bytes of connection ${connectId}`, () =>
        (this.#arrived.get(connectId) ?? 0) >= total ? packet : undefined,
      );
    }
    const received = await this.next(packet.type);
    if (textOf(received) !== textOf(packet))
      throw new Error(`${textOf(received)} arrived, not ${textOf(packet)}`);
    return received;
  }

  /** The next packet without bytes. Throws if none arrives. */
  next(what: string, ms?: number): Promise<ReceivedPacket> {
    return eventually(what, () => this.#others.shift(), ms);
  }

  /** The name of the dial that arrived first and was not expected yet, if it has this address. */
  pendingDial(address: string): bigint | undefined {
    const [first] = this.#others;
    return first?.type === 'DIAL_REQ' && first.address === address ? first.random : undefined;
  }
}

/** One gRPC stream that the player opened. */
export class StreamLink {
  readonly packets: PacketStream;
  readonly inbox = new Inbox();
  readonly #session: ClientHttp2Session;
  #status: string | undefined;
  #isClosed = false;

  /** Resolves when the server accepted the stream. */
  readonly accepted: Promise<unknown>;

  constructor(connection: Duplex, path: string, metadata: Readonly<Record<string, string>>) {
    this.#session = connectSession(() => connection);
    this.#session.on('error', () => undefined);
    const stream = openStream(this.#session, path, metadata);
    this.packets = stream.packets;
    this.accepted = stream.headers;
    stream.onStatus(({ message }) => (this.#status = message));
    stream.packets.start({
      packet: (packet) => this.inbox.add(packet),
      closed: () => (this.#isClosed = true),
    });
  }

  async expectStatus(message: string): Promise<void> {
    const status = await eventually(
      'the end of the stream',
      () => this.#status ?? (this.#isClosed ? '' : undefined),
    );
    if (status !== message) throw new Error(`the stream ended with ${status}, not ${message}`);
  }

  close(): void {
    this.#session.destroy();
  }
}

/** A packet without the name of its dial, which an http-connect server chooses. */
const textOf = (packet: ReceivedPacket): string =>
  JSON.stringify(packet, (name, value: unknown) => (name === 'random' ? undefined : value));

/** One CONNECT connection that the player opened. */
export class BytesLink {
  readonly socket: Duplex;
  #received = Buffer.alloc(0);
  #recorded = Buffer.alloc(0);

  constructor(socket: Duplex) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => (this.#received = Buffer.concat([this.#received, chunk])));
  }

  /** Throws if status line and body do not arrive; other headers may differ. */
  async expect(bytes: Buffer): Promise<void> {
    this.#recorded = Buffer.concat([this.#recorded, bytes]);
    const expected = essence(this.#recorded);
    await eventually(JSON.stringify(expected.slice(0, 200)), () =>
      essence(this.#received).startsWith(expected) ? true : undefined,
    );
  }

  close(): void {
    this.socket.destroy();
  }
}

function essence(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (!text.startsWith('HTTP/1.1 ') || end < 0) return text.split('\r\n')[0] ?? '';
  const body = text.slice(end + 4);
  return `${text.slice(0, text.indexOf('\r\n'))}\n${body}`;
}

export { eventually };
