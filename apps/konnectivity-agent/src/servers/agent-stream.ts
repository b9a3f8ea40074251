import type { Logger } from '@annex/runtime';
import { type PacketOf, type PacketStream, type ReceivedPacket, StreamHold } from '@annex/tunnel';
import { connectEndpoint } from '../endpoints/connect-endpoint.ts';
import { EndpointConnection, type ServerStream } from '../endpoints/endpoint-connection.ts';
import type { EndpointError } from '../endpoints/endpoint-error.ts';
import type { EndpointRules } from '../endpoints/endpoint-rules.ts';
import { maxEndpointConnections } from '../limits.ts';
import type { AgentMetrics } from '../metrics.ts';

/** What all streams of an agent share. */
export interface AgentStreamSetting {
  rules: EndpointRules;
  metrics: AgentMetrics;
  log: Logger;
  /** Dials and connections of one stream. Default {@link maxEndpointConnections}. */
  maxConnections?: number;
}

/** Why a dial was aborted: nobody waits for its response. */
const givenUp = Symbol('given up');

/** The stream to one server: its dials and connections. */
export class AgentStream implements ServerStream {
  readonly packets: PacketStream;
  readonly hold: StreamHold;
  readonly extensions: ReadonlySet<string>;
  readonly #setting: AgentStreamSetting;
  readonly #dials = new Map<bigint, AbortController>();
  /** Dials, also several with one name. */
  #dialing = 0;
  readonly #connections = new Map<number, EndpointConnection>();
  #nextId = 1;

  constructor(packets: PacketStream, extensions: ReadonlySet<string>, setting: AgentStreamSetting) {
    this.packets = packets;
    this.hold = new StreamHold(packets);
    this.extensions = extensions;
    this.#setting = setting;
  }

  /** Connections and dials. */
  get load(): number {
    return this.#connections.size + this.#dialing;
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Takes a packet of the server. */
  received(packet: ReceivedPacket): void {
    switch (packet.type) {
      case 'DIAL_REQ':
        return void this.#dial(packet);
      case 'DIAL_CLS':
        return this.#dials.get(packet.random)?.abort(givenUp);
      case 'DATA':
      case 'HALF_CLOSE':
      case 'WINDOW':
      case 'CLOSE_REQ':
        return this.#connectionReceived(packet);
      default:
        return;
    }
  }

  /** The stream is gone: nobody is left to talk to destinations. */
  lost(): void {
    for (const dial of this.#dials.values()) dial.abort(givenUp);
    for (const connection of [...this.#connections.values()]) connection.close();
  }

  forget(connection: EndpointConnection): void {
    this.#connections.delete(connection.id);
  }

  async #dial({ protocol, address, random }: PacketOf<'DIAL_REQ'>): Promise<void> {
    const { rules, metrics, log, maxConnections = maxEndpointConnections } = this.#setting;
    const refuse = (error: string) => this.packets.respond({ type: 'DIAL_RSP', error, connectId: 0, random });
    if (this.load >= maxConnections) return refuse('the agent has too many connections');
    const dial = new AbortController();
    this.#dials.set(random, dial);
    this.#dialing++;
    const start = performance.now();
    try {
      const socket = await connectEndpoint(protocol, address, rules, dial);
      if (dial.signal.aborted || this.packets.isClosed) return void socket.destroy();
      metrics.dialed((performance.now() - start) / 1000);
      const connectId = this.#nextId++;
      this.packets.send({ type: 'DIAL_RSP', error: '', connectId, random });
      this.#connections.set(connectId, new EndpointConnection(this, connectId, socket));
    } catch (error) {
      if (dial.signal.reason === givenUp) return;
      const { message, reason } = error as EndpointError;
      metrics.dialFailed(reason ?? 'unknown');
      log.info('a dial failed', { address, reason: message });
      refuse(message);
    } finally {
      this.#dialing--;
      if (this.#dials.get(random) === dial) this.#dials.delete(random);
    }
  }

  #connectionReceived(packet: PacketOf<'DATA' | 'HALF_CLOSE' | 'WINDOW' | 'CLOSE_REQ'>): void {
    const { connectId } = packet;
    const connection = this.#connections.get(connectId);
    if (connection !== undefined) return connection.received(packet);
    if (packet.type === 'CLOSE_REQ')
      this.packets.respond({ type: 'CLOSE_RSP', error: 'Unknown connectID', connectId });
    else if (packet.type === 'DATA' && connectId !== 0)
      this.packets.respond({ type: 'CLOSE_RSP', error: 'unrecognized connectID', connectId });
  }
}
