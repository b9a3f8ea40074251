import type { Agent as HttpAgent, AgentOptions as HttpAgentOptions, ClientRequestArgs } from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';
import { nodeHttp } from '@annex/runtime';

/** Opens a connection to the server through a proxy. */
export type OpenConnection = () => Promise<Duplex>;

type Created = (error: Error | null, socket?: Duplex) => void;

/** An agent whose connections go through a proxy; TLS is between this process and the server. */
export function proxiedAgent(
  dial: OpenConnection,
  isPlain: boolean,
  options: https.AgentOptions & HttpAgentOptions,
): HttpAgent {
  const agent = isPlain ? new nodeHttp.Agent(options) : new https.Agent(options);
  const createConnection = (settings: ClientRequestArgs, created: Created): undefined => {
    dial().then(
      (socket) => created(null, isPlain ? socket : secured(settings, socket)),
      (error: unknown) => created(error as Error),
    );
  };
  return Object.assign(agent, { createConnection });
}

/** A connection that a request of a {@link routedAgent} needs: its options. */
export interface RoutedRequest extends ClientRequestArgs {
  host: string;
  port: number;
  /** The proxy that the environment names for the request. */
  proxy?: URL | undefined;
}

/** An https agent that asks for each connection how it is opened; `undefined` is directly. */
export function routedAgent(
  options: https.AgentOptions,
  open: (request: RoutedRequest) => Promise<Duplex> | undefined,
): https.Agent {
  const agent = new https.Agent(options);
  const direct = agent.createConnection.bind(agent);
  const createConnection = (settings: RoutedRequest, created: Created): Duplex | null | undefined => {
    const opening = open(settings);
    if (opening === undefined) return direct(settings, created as never);
    opening.then(
      (socket) => created(null, secured(settings, socket)),
      (error: unknown) => created(error as Error),
    );
    return undefined;
  };
  return Object.assign(agent, { createConnection });
}

const secured = (settings: ClientRequestArgs, socket: Duplex) =>
  connect({ ...(settings as ConnectionOptions), socket: socket as Socket });
