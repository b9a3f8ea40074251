import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { Dial, DialAddress } from '@annex/runtime';

/**
 * A Unix socket whose connections lead to one address through a dialer: the gRPC library dials sockets and addresses only.
 * Its folder is private to the user of the process.
 */
export class Relay {
  readonly path: string;
  /** The error of the last dial; undefined if it succeeded. */
  failure: Error | undefined;
  readonly #folder: string;
  readonly #server: Server;

  constructor(dial: Dial, to: DialAddress) {
    this.#folder = mkdtempSync(join(tmpdir(), 'annex-egress-'));
    this.path = join(this.#folder, 'etcd');
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      client.on('error', () => client.destroy());
      dial(to).then(
        (server) => {
          this.failure = undefined;
          const ended = (error: Error | null | undefined): void => {
            if (!error) return;
            client.destroy();
            server.destroy();
          };
          pipeline(client, server, ended);
          pipeline(server, client, ended);
        },
        (error: Error) => {
          this.failure = error;
          client.destroy();
        },
      );
    });
    this.#server.listen(this.path).unref();
  }

  close(): void {
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
