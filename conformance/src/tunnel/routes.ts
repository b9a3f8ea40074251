import type { Packet } from '@annex/tunnel';

/** A dial that reached another agent than in the recording, and its connection. */
interface Route {
  /** The link of the agent in the recording, and the one that got the dial. */
  recorded: string;
  actual: string;
  /** The link of the client. */
  client: string | undefined;
  /** The id of the connection in the recording. */
  recordedId: number;
  /** Its id now: agents number their connections, so that two agents use the same ids. */
  id: number;
}

const firstId = 1_000_000;

/** A server chooses agents at random: the packets of a connection are played on the link of the agent that got its dial. */
export class Routes {
  readonly #clients = new Map<bigint, string>();
  readonly #dials = new Map<bigint, Route>();
  readonly #connections: Route[] = [];

  /** A client sent this packet. */
  requested(link: string, packet: Packet): void {
    if (packet.type === 'DIAL_REQ') this.#clients.set(packet.random, link);
  }

  /** The server sent the dial of the link `recorded` to the link `actual`. */
  moved(random: bigint, recorded: string, actual: string): void {
    const id = firstId + this.#dials.size;
    this.#dials.set(random, { recorded, actual, client: this.#clients.get(random), recordedId: 0, id });
  }

  /** Returns link and packet as they are played. */
  translate(link: string, packet: Packet): [link: string, packet: Packet] {
    if (packet.type === 'DIAL_RSP') return this.#dialed(link, packet);
    if (!('connectId' in packet)) return [link, packet];
    const route = this.#connections.findLast(
      ({ recorded, client, recordedId }) =>
        recordedId === packet.connectId && (recorded === link || client === link),
    );
    if (route === undefined) return [link, packet];
    return [link === route.client ? link : route.actual, { ...packet, connectId: route.id }];
  }

  #dialed(link: string, packet: Packet & { type: 'DIAL_RSP' }): [link: string, packet: Packet] {
    const route = this.#dials.get(packet.random);
    if (route === undefined || packet.error !== '') return [link, packet];
    if (link === route.recorded) {
      route.recordedId = packet.connectId;
      this.#connections.push(route);
    }
    return [link === route.client ? link : route.actual, { ...packet, connectId: route.id }];
  }
}
