import {
  GrpcError,
  grpcStatus,
  type PacketOf,
  PacketError,
  type PacketStream,
  type ReceivedPacket,
} from '@annex/tunnel';
import { maxAddressBytes } from '../limits.ts';
import { Dial, type DialSetting } from '../tunnel/dial.ts';
import type { Connection, Frontend } from '../tunnel/frontend.ts';

/** Dials of one stream. konnectivity-client makes one. */
export const maxDialsOfStream = 16;

/** What a stream of a client needs. */
export interface GrpcFrontendSetting {
  dials: DialSetting;
  /** What the client supports. */
  extensions: ReadonlySet<string>;
}

/** A stream of `ProxyService`: one dial, and its connection. */
export class GrpcFrontend {
  readonly #packets: PacketStream;
  readonly #setting: GrpcFrontendSetting;
  readonly #dials = new Map<bigint, Dial>();
  /** Those of several agents may have the same id. */
  readonly #connections = new Set<Connection>();
  /** The client sends no more packets. */
  #isEnded = false;

  constructor(packets: PacketStream, setting: GrpcFrontendSetting) {
    this.#packets = packets;
    this.#setting = setting;
  }

  /** Takes a packet of the client. Throws PacketError, which ends the stream. */
  received(packet: ReceivedPacket): void {
    switch (packet.type) {
      case 'DIAL_REQ':
        return this.#dial(packet);
      case 'DIAL_CLS':
        return this.#cancel(packet.random);
      case 'DATA':
        return this.#data(packet);
      case 'HALF_CLOSE':
        return this.#own(packet.connectId, 'backend uninitialized')?.halfClose();
      case 'CLOSE_REQ':
        return this.#own(packet.connectId, 'backend uninitialized')?.close();
      default:
        return;
    }
  }

  /** The client sends no more packets: what it left open is closed. */
  ended(): void {
    this.#isEnded = true;
    this.#closeAll();
    this.#endIfDone();
  }

  /** The stream is gone. */
  closed(): void {
    this.#isEnded = true;
    this.#closeAll();
  }

  #dial({ protocol, address, random }: PacketOf<'DIAL_REQ'>): void {
    if (this.#dials.has(random) || this.#dials.size + this.#connections.size >= maxDialsOfStream)
      throw new PacketError('too many dials on one stream');
    const fail = (error: string) => {
      this.#dials.delete(random);
      this.#packets.respond({ type: 'DIAL_RSP', error, connectId: 0, random });
      this.#endIfDone();
    };
    if (address.length > maxAddressBytes) return fail('the address is too long');
    let isOver = false;
    const dial = new Dial(
      this.#setting.dials,
      { protocol, address, random },
      {
        connected: (connection) => {
          isOver = true;
          this.#dials.delete(random);
          this.#connections.add(connection);
          this.#packets.send({ type: 'DIAL_RSP', error: '', connectId: connection.id, random });
          return this.#frontendOf(connection);
        },
        failed: (message) => {
          isOver = true;
          fail(message);
        },
      },
    );
    if (!isOver) this.#dials.set(random, dial);
  }

  #cancel(random: bigint): void {
    this.#dials.get(random)?.cancel();
    this.#dials.delete(random);
  }

  #data({ connectId, data }: PacketOf<'DATA'>): void {
    // As upstream, which ignores it on a connection.
    if (connectId === 0 && this.#connections.size > 0) return;
    const connection = this.#own(connectId, 'backend not initialized');
    if (connection === undefined) return;
    connection.send(Buffer.from(data.buffer, data.byteOffset, data.length));
    if (!connection.mustWait) return;
    this.#packets.pause();
    connection.whenWritable(() => this.#packets.resume());
  }

  /** Returns the connection of the stream if a packet names it. Another id ends the connections of this stream, and no other. */
  #own(connectId: number, none: string): Connection | undefined {
    const [first] = this.#connections;
    if (first === undefined) this.#packets.respond({ type: 'CLOSE_RSP', error: none, connectId });
    else if (first.id === connectId) return first;
    else this.#mismatch(connectId);
    return undefined;
  }

  #mismatch(connectId: number): void {
    for (const id of new Set([connectId, ...[...this.#connections].map(({ id }) => id)]))
      this.#packets.send({ type: 'CLOSE_RSP', error: 'mismatched connection IDs', connectId: id });
    this.ended();
  }

  #frontendOf(connection: Connection): Frontend {
    const { id: connectId } = connection;
    const packets = this.#packets;
    return {
      data: (data) => packets.send({ type: 'DATA', connectId, error: '', data }),
      halfClosed: () => {
        if (this.#setting.extensions.has('half-close')) packets.send({ type: 'HALF_CLOSE', connectId });
        else connection.close();
      },
      closed: (error) => {
        this.#connections.delete(connection);
        // Clients of upstream get no reason from it, and ignore one.
        const reason = this.#setting.extensions.has('half-close') ? error : '';
        packets.send({ type: 'CLOSE_RSP', error: reason, connectId });
        if (this.#isEnded || this.#connections.size === 0) this.#endIfDone();
      },
      abort: (reason) => packets.fail(new GrpcError(grpcStatus.RESOURCE_EXHAUSTED, reason)),
      get unsentBytes() {
        return packets.unsentBytes;
      },
      get mustWait() {
        return packets.mustWait;
      },
      whenDrained: (callback) => packets.whenDrained(callback),
    };
  }

  #closeAll(): void {
    for (const dial of this.#dials.values()) dial.cancel();
    this.#dials.clear();
    for (const connection of [...this.#connections]) connection.close();
  }

  #endIfDone(): void {
    if (this.#dials.size === 0 && this.#connections.size === 0) this.#packets.end();
  }
}
