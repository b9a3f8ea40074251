import type { Duplex } from 'node:stream';
import type { OpenedStream } from '../grpc/open-stream.ts';
import type { PacketReceiver } from '../grpc/packet-stream.ts';
import type { GrpcError } from '../grpc/status.ts';
import type { StreamCounts } from '../program/stream-counts.ts';
import type { PacketOf, ReceivedPacket } from '../packet/packet.ts';
import { TunnelDialError, type TunnelDialFailure } from './dial-error.ts';
import { TunnelConnection } from './tunnel-connection.ts';

/** What is dialed. */
interface TunnelDialOptions {
  address: string;
  random: bigint;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  counts: StreamCounts | undefined;
}

/** One dial on a stream of its own, and then its connection. */
export class TunnelDial {
  readonly #stream: OpenedStream;
  readonly #random: bigint;
  readonly #result = Promise.withResolvers<Duplex>();
  readonly #stopWaiting: () => void;
  #status: GrpcError | undefined;
  #connection: TunnelConnection | undefined;
  #isOver = false;

  constructor(stream: OpenedStream, { address, random, timeoutMs, signal, counts }: TunnelDialOptions) {
    this.#stream = stream;
    this.#random = random;
    const timer = setTimeout(() => this.#giveUp('timeout', 'dial timeout, backstop'), timeoutMs);
    const cancel = () => this.#giveUp('canceled', 'dial timeout, context');
    signal?.addEventListener('abort', cancel, { once: true });
    this.#stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    };
    stream.onStatus((error) => (this.#status = error));
    const receiver: PacketReceiver = {
      packet: (packet) => this.#received(packet),
      ended: () => stream.packets.end(),
      closed: (error) => this.#lost(this.#status ?? error),
    };
    if (counts !== undefined) stream.packets.observe(counts);
    stream.packets.start(counts?.counted(receiver) ?? receiver);
    stream.packets.send({ type: 'DIAL_REQ', protocol: 'tcp', address, random });
  }

  /** Rejects with TunnelDialError. */
  get result(): Promise<Duplex> {
    return this.#result.promise;
  }

  #received(packet: ReceivedPacket): void {
    if (this.#connection !== undefined) this.#connection.received(packet);
    else if (this.#isOver) return;
    else if (packet.type === 'DIAL_RSP' && packet.random === this.#random) this.#responded(packet);
    else if (packet.type === 'DIAL_CLS' && packet.random === this.#random)
      this.#giveUp('closed', 'dial closed');
  }

  #responded({ error, connectId }: PacketOf<'DIAL_RSP'>): void {
    if (error !== '') return this.#fail('endpoint', error);
    this.#isOver = true;
    this.#stopWaiting();
    const halfClose = this.#stream.extensions().has('half-close');
    this.#connection = new TunnelConnection(this.#stream.packets, connectId, halfClose);
    this.#result.resolve(this.#connection);
  }

  /** The end of the stream closes a connection that was opened meanwhile. */
  #giveUp(reason: TunnelDialFailure, message: string): void {
    this.#stream.packets.send({ type: 'DIAL_CLS', random: this.#random });
    this.#fail(reason, message);
  }

  #fail(reason: TunnelDialFailure, message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWaiting();
    this.#result.reject(new TunnelDialError(reason, message));
    this.#stream.packets.end();
  }

  #lost(error: Error | undefined): void {
    this.#connection?.lost(error);
    this.#fail('closed', error?.message ?? 'tunnel closed');
  }
}
