import type { Agent as HttpAgent, AgentOptions as HttpAgentOptions, ClientRequestArgs } from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';
import { nodeHttp } from '@annex/runtime';

/** Opens a connection to the server through a proxy. */
export type Dial = () => Promise<Socket>;

type Created = (error: Error | null, socket?: Socket) => void;

/** An agent whose connections go through a proxy; TLS is between this process and the server. */
export function proxiedAgent(
  dial: Dial,
  isPlain: boolean,
  options: https.AgentOptions & HttpAgentOptions,
): HttpAgent {
  const agent = isPlain ? new nodeHttp.Agent(options) : new https.Agent(options);
  const createConnection = (settings: ClientRequestArgs, created: Created): undefined => {
    dial().then(
      (socket) => created(null, isPlain ? socket : connect({ ...(settings as ConnectionOptions), socket })),
      (error: unknown) => created(error as Error),
    );
  };
  return Object.assign(agent, { createConnection });
}
