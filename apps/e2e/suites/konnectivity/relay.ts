import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';

/** Listens on a Unix socket, or on a loopback port, and joins each connection with one to another place. Half-close is kept. */
export function startRelay(at: string | number, to: NetConnectOpts): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (accepted) => {
    const opened = connect({ ...to, allowHalfOpen: true });
    for (const end of [accepted, opened])
      end.on('error', () => [accepted, opened].map((each) => each.destroy()));
    accepted.pipe(opened).pipe(accepted);
  });
  const place = typeof at === 'string' ? { path: at } : { port: at, host: '127.0.0.1' };
  return new Promise((resolve) => server.listen(place, () => resolve(server)));
}
