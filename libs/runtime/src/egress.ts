import type { Duplex } from 'node:stream';

/** Where a connection ends. The host is a name or an address. */
export interface DialAddress {
  host: string;
  port: number;
}

/** Opens a connection to an address. Rejects with the reason; the message is for users. */
export type Dial = (to: DialAddress) => Promise<Duplex>;

/** The networks to which an API server connects. Source: kube-apiserver's egress selections. */
export type EgressType = 'cluster' | 'controlplane' | 'etcd';

/** Chooses how each network is reached. */
export interface EgressSelector {
  /** Returns how to connect to addresses of a network; `undefined` if that is direct. */
  dialerFor(type: EgressType): Dial | undefined;
  /** Returns the hop to a network, for traces: `GRPC over /run/server.socket`; `undefined` if there is none. */
  hopTo(type: EgressType): string | undefined;
}
