import {
  type KeepAlive,
  type PacketOf,
  type PacketStream,
  PacketError,
  StreamHold,
  type ReceivedPacket,
} from '@annex/tunnel';
import { maxPendingDials } from '../limits.ts';
import { AgentConnection, type AgentStream } from '../tunnel/agent-connection.ts';
import type { DialHandler } from '../tunnel/frontend.ts';
import type { Identifiers } from './identifiers.ts';

/** A dial at one agent. */
export interface AgentDial extends DialHandler {
  protocol: string;
  address: string;
  random: bigint;
  /** The agent is gone: nothing was sent to the destination for this client. */
  lost(): void;
}

/** What an agent announced when it connected. */
export interface AgentDescription {
  id: string;
  identifiers: Identifiers;
  extensions: ReadonlySet<string>;
}

/** What watches a stream. */
export interface AgentWatch {
  keepAlive: KeepAlive;
  /** Called for the response of a dial that is not pending. */
  unrecognized(): void;
  /** Called when bytes of the agent were given to a client. */
  gave(bytes: number): void;
  /** Called when a client took a packet of the agent, with the seconds that it needed. */
  wrote(seconds: number): void;
}

/** One stream of an agent. All state of its dials and connections is bound to the stream, never to the id that it claims. */
export class Agent implements AgentStream {
  readonly id: string;
  readonly identifiers: Identifiers;
  readonly extensions: ReadonlySet<string>;
  readonly packets: PacketStream;
  readonly #watch: AgentWatch;
  readonly #dials = new Map<bigint, AgentDial>();
  /** Names of dials that were given up: the agent may still respond to them. */
  readonly #canceled = new Set<bigint>();
  readonly #connections = new Map<number, AgentConnection>();
  readonly #hold: StreamHold;
  /** It requested no new dials. */
  isDraining = false;

  constructor({ id, identifiers, extensions }: AgentDescription, packets: PacketStream, watch: AgentWatch) {
    this.id = id;
    this.identifiers = identifiers;
    this.extensions = extensions;
    this.packets = packets;
    this.#hold = new StreamHold(packets);
    this.#watch = watch;
  }

  /** It has not yet responded to a ping. */
  get isSilent(): boolean {
    return this.#watch.keepAlive.isWaiting;
  }

  /** Its stream is ending: it gets no more packets. */
  get isEnding(): boolean {
    return this.packets.isClosed;
  }

  /** It is not read, because a client does not read. */
  get isHeld(): boolean {
    return this.#hold.isHolding;
  }

  gave(bytes: number): void {
    this.#watch.gave(bytes);
  }

  wrote(seconds: number): void {
    this.#watch.wrote(seconds);
  }

  get open(): Iterable<AgentConnection> {
    return this.#connections.values();
  }

  get pendingDials(): number {
    return this.#dials.size;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Finds out whether the agent still responds. */
  check(): void {
    this.#watch.keepAlive.check();
  }

  /** Asks the agent to connect. Returns the name of the dial on this stream; undefined if too many are pending, or the stream is ending. */
  dial(dial: AgentDial): bigint | undefined {
    if (this.#dials.size >= maxPendingDials || this.isEnding) return undefined;
    let { random } = dial;
    // The name is the client's choice; another client may have chosen the same.
    while (this.#dials.has(random) || this.#canceled.has(random)) random = BigInt.asIntN(64, random + 1n);
    this.#dials.set(random, dial);
    this.packets.send({ type: 'DIAL_REQ', protocol: dial.protocol, address: dial.address, random });
    return random;
  }

  /** Gives up a pending dial; the agent aborts it. */
  cancel(random: bigint): void {
    if (!this.#dials.delete(random)) return;
    this.packets.send({ type: 'DIAL_CLS', random });
    this.#canceled.add(random);
    const [oldest] = this.#canceled;
    if (this.#canceled.size > maxPendingDials) this.#canceled.delete(oldest!);
  }

  /** Takes a packet of the agent. Throws PacketError, which ends the stream. */
  received(packet: ReceivedPacket): void {
    switch (packet.type) {
      case 'DIAL_RSP':
        return this.#dialed(packet);
      case 'DIAL_CLS':
        return this.#take(packet.random)?.failed('dial closed', 'error_response');
      case 'DRAIN':
        this.isDraining = true;
        return;
      case 'DATA':
      case 'HALF_CLOSE':
      case 'WINDOW':
      case 'CLOSE_RSP':
        return this.#connectionReceived(packet);
      default:
        return;
    }
  }

  /** The stream is gone. */
  lost(why: string): void {
    const dials = [...this.#dials.values()];
    this.#dials.clear();
    for (const connection of [...this.#connections.values()]) connection.over(why);
    for (const dial of dials) dial.lost();
  }

  waitFor(connection: AgentConnection): void {
    this.#hold.hold(connection.frontend, () => connection.abort('the client does not read'));
  }

  forget(connection: AgentConnection): void {
    this.#connections.delete(connection.id);
    this.#hold.release(connection.frontend);
  }

  #take(random: bigint): AgentDial | undefined {
    const dial = this.#dials.get(random);
    this.#dials.delete(random);
    this.#canceled.delete(random);
    return dial;
  }

  #dialed({ error, connectId, random }: PacketOf<'DIAL_RSP'>): void {
    const dial = this.#take(random);
    if (dial === undefined) this.#watch.unrecognized();
    if (error !== '') {
      if (dial !== undefined) this.wrote(0);
      return dial?.failed(error, 'error_response');
    }
    if (connectId === 0 || this.#connections.has(connectId))
      throw new PacketError(`the agent opened the connection ${connectId}, which it cannot`);
    // A dial that was given up meanwhile leaves nothing open.
    if (dial === undefined) return this.packets.respond({ type: 'CLOSE_REQ', connectId });
    const connection = new AgentConnection(this, connectId);
    this.#connections.set(connectId, connection);
    connection.open(dial);
  }

  #connectionReceived(packet: PacketOf<'DATA' | 'HALF_CLOSE' | 'WINDOW' | 'CLOSE_RSP'>): void {
    const connection = this.#connections.get(packet.connectId);
    if (connection !== undefined) connection.received(packet);
    else if (packet.type === 'DATA') this.packets.respond({ type: 'CLOSE_REQ', connectId: packet.connectId });
  }
}
