import type { Buffer } from 'node:buffer';
import { maxQueuedBytes, type PacketOf, type PacketStream, ReceiveWindow, SendWindow } from '@annex/tunnel';
import { backendCloseTimeoutMs } from '../limits.ts';
import type { Connection, DialHandler, Frontend } from './frontend.ts';
import type { UnreadConnection } from './unread-limit.ts';

/** The stream of an agent, as its connections use it. */
export interface AgentStream {
  readonly packets: PacketStream;
  /** What the agent supports. */
  readonly extensions: ReadonlySet<string>;
  /** Stops reading the agent until a client continues. */
  waitFor(connection: AgentConnection): void;
  forget(connection: AgentConnection): void;
  /** These bytes of the agent were given to a client. */
  gave(bytes: number): void;
  /** A client took a packet of the agent, after this time. */
  wrote(seconds: number): void;
}

/** Before a connection has its client, nothing arrives on it. */
const nobody: Frontend = {
  data: () => undefined,
  halfClosed: () => undefined,
  closed: () => undefined,
  abort: () => undefined,
  unsentBytes: 0,
  mustWait: false,
  whenDrained: (callback) => callback(),
};

/** One connection through an agent. It belongs to the stream that it was opened on. */
export class AgentConnection implements Connection, UnreadConnection {
  readonly id: number;
  readonly #agent: AgentStream;
  readonly #sendWindow: SendWindow | undefined;
  readonly #receiveWindow: ReceiveWindow | undefined;
  #frontend: Frontend = nobody;
  /** Bytes that were given to the frontend, and not yet back to the window. */
  #undelivered = 0;
  /** When the first of these bytes were given. */
  #writeStart = 0;
  #isClosing = false;
  #isOver = false;
  #closeTimer: NodeJS.Timeout | undefined;
  #waiting: (() => void) | undefined;

  constructor(agent: AgentStream, id: number) {
    this.#agent = agent;
    this.id = id;
    if (agent.extensions.has('window')) {
      this.#sendWindow = new SendWindow();
      this.#receiveWindow = new ReceiveWindow((bytes) =>
        agent.packets.send({ type: 'WINDOW', connectId: id, bytes }),
      );
    }
  }

  /** Joins it with the client that waits for it. */
  open(handler: DialHandler): void {
    this.#frontend = handler.connected(this);
    this.#agent.wrote(0);
  }

  get frontend(): Frontend {
    return this.#frontend;
  }

  get mustWait(): boolean {
    return this.#sendWindow?.isOpen === false || this.#agent.packets.mustWait;
  }

  send(data: Buffer): void {
    if (this.#isClosing) return;
    this.#sendWindow?.sent(data.length);
    this.#agent.packets.send({ type: 'DATA', connectId: this.id, error: '', data });
  }

  whenWritable(callback: () => void): void {
    this.#waiting = callback;
    this.#continue();
  }

  halfClose(): void {
    if (this.#isClosing) return;
    if (this.#agent.extensions.has('half-close'))
      this.#agent.packets.send({ type: 'HALF_CLOSE', connectId: this.id });
    else this.close();
  }

  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#agent.packets.send({ type: 'CLOSE_REQ', connectId: this.id });
    this.#closeTimer = setTimeout(() => this.over(''), backendCloseTimeoutMs).unref();
  }

  get unsentBytes(): number {
    return this.#frontend.unsentBytes;
  }

  /** Ends both sides; what waits for the client is dropped. */
  abort(reason: string): void {
    this.close();
    this.#frontend.abort(reason);
    this.over(reason);
  }

  /** Takes a packet of the agent. Throws PacketError for one that breaks the rules of the window. */
  received(packet: PacketOf<'DATA' | 'HALF_CLOSE' | 'WINDOW' | 'CLOSE_RSP'>): void {
    if (packet.type === 'DATA') this.#data(packet.data);
    else if (packet.type === 'HALF_CLOSE') this.#frontend.halfClosed();
    else if (packet.type === 'WINDOW') this.#sendWindow?.granted(packet.bytes);
    else this.over(packet.error);
  }

  /** The connection is over: the agent says so, or is gone. */
  over(error: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isClosing = true;
    clearTimeout(this.#closeTimer);
    this.#agent.forget(this);
    this.#frontend.closed(error);
    this.#agent.wrote(0);
    this.#continue();
  }

  #data(data: Uint8Array): void {
    this.#receiveWindow?.received(data.length);
    if (this.#undelivered === 0) this.#writeStart = performance.now();
    this.#frontend.data(data);
    this.#undelivered += data.length;
    if (this.#receiveWindow === undefined) this.#limitQueue();
    this.#agent.gave(data.length);
    if (!this.#frontend.mustWait) this.#delivered();
    // The first of several packets waits for all of them.
    else if (this.#undelivered === data.length) this.#frontend.whenDrained(() => this.#delivered());
  }

  #delivered(): void {
    const bytes = this.#undelivered;
    this.#undelivered = 0;
    this.#agent.wrote((performance.now() - this.#writeStart) / 1000);
    if (!this.#isOver) this.#receiveWindow?.consumed(bytes);
  }

  #limitQueue(): void {
    if (this.#frontend.unsentBytes > maxQueuedBytes && !this.#isClosing) this.#agent.waitFor(this);
  }

  /** Waits for the window, then for the stream. */
  #continue(): void {
    if (this.#waiting === undefined) return;
    if (this.#isOver || !this.mustWait) {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting();
    } else if (this.#sendWindow?.isOpen === false) this.#sendWindow.whenOpen(() => this.#continue());
    else this.#agent.packets.whenDrained(() => this.#continue());
  }
}
