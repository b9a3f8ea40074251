import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';

/** Sends spaces until the client disconnects. */
export function sendWithoutEnd(res: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const write = () => {
    while (!res.destroyed && res.write(chunk));
  };
  res.on('drain', write);
  write();
}

/** Switches to another protocol, which the client did not request. */
export const switchProtocols = (res: ServerResponse): void =>
  res.writeHead(101, { upgrade: 'x', connection: 'upgrade' }).flushHeaders();

/** Sends 1,000 interim responses and no final one. */
export function sendInterimResponses(res: ServerResponse): void {
  for (let i = 0; i < 1000; i++) res.writeProcessing();
}
