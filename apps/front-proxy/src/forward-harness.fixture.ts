import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { request, type Server } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { FrontProxyOptions } from './app.ts';
import {
  externalService,
  makeDeps,
  makePki,
  register,
  startExtension,
  startFront,
  whenReason,
} from './forward.fixture.ts';

export interface Ask {
  method?: string;
  headers?: Record<string, string | string[]>;
}

/** A front proxy with extension servers behind it, and clients that record the bytes on the wire. */
export interface Harness {
  /** Registers an extension server and serves its discovery; resolves when requests reach it. */
  extension(group: string, response: RequestListener): Promise<Server>;
  /** Registers the listener of a port as the extension server of a group; resolves when requests reach it. */
  register(group: string, port: number): Promise<void>;
  /** The certificate of extension servers. */
  readonly serving: { cert: string; key: string };
  readonly port: number;
  /** Sends a text unchanged. Resolves to everything that is received, with the headers in their order. */
  raw(text: string): Promise<string>;
  /** Opens a new connection to the front proxy. */
  dial(): Promise<TLSSocket>;
  /** Begins a request; the caller writes the body. */
  begin(path: string, requested?: Ask): ReturnType<typeof request>;
  stop(): Promise<void>;
}

export async function startHarness(options: Partial<FrontProxyOptions> = {}): Promise<Harness> {
  const pki = await makePki();
  const deps = makeDeps();
  await externalService(deps, 'ext');
  const front = await startFront(deps, pki, options);
  const servers: Server[] = [];
  const at = { host: '127.0.0.1', port: front.port, rejectUnauthorized: false };
  const dial = async () => {
    const socket = connect({ ...at, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    return socket;
  };
  const registered = async (group: string, port: number) => {
    await register(deps, { group, port, ca: pki.ca.cert });
    await whenReason(deps, group, 'Passed');
  };
  return {
    register: registered,
    serving: pki.serving,
    port: front.port,
    async extension(group, response) {
      const { port, server } = await startExtension(pki, (req, res) => {
        if (req.rawHeaders.includes('system:kube-aggregator')) res.end('{}');
        else response(req, res);
      });
      servers.push(server);
      await registered(group, port);
      return server;
    },
    async raw(text) {
      const socket = await dial();
      let got = '';
      socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')));
      socket.write(Buffer.from(text, 'latin1'));
      await new Promise((resolve) => socket.once('close', resolve).once('error', () => undefined));
      return got;
    },
    dial,
    begin: (path, { method = 'GET', headers = {} } = {}) => request({ ...at, path, method, headers }),
    async stop() {
      for (const server of servers) server.closeAllConnections();
      for (const server of servers) server.close();
      await front.stop();
    },
  };
}

/** Resolves to the response to a request that was begun. */
export async function responseOf(sent: ReturnType<typeof request>): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}
