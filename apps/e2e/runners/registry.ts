import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { tempFolder } from '@annex/testkit';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A registry of npm on loopback: it has the published packages of Annex, and redirects to the configured registry for other packages. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
  /** The environment in which npm uses this registry only, with an empty cache. */
  readonly env: NodeJS.ProcessEnv;
}

/** Returns the environment in which npm uses a registry only, with an empty cache in a folder. */
export function npmEnvironment(url: string, folder: string): NodeJS.ProcessEnv {
  const npmrc = join(folder, '.npmrc');
  const token = `${url.slice('http:'.length)}:_authToken=none`;
  writeFileSync(npmrc, `registry=${url}\n${token}\nupdate-notifier=false\n`);
  return { ...process.env, npm_config_userconfig: npmrc, npm_config_cache: join(folder, 'npm') };
}

/** What `npm publish` sends: the document of the package, and its tarball by name. */
interface Published {
  name: string;
  versions: Record<string, object>;
  _attachments?: Record<string, { data: string }>;
}

/** Starts a registry that does as much as npm needs. Returns undefined, and prints a line, where the registry of other packages does not respond. */
export async function startRegistry(): Promise<Registry | undefined> {
  const upstream = String(
    execFileSync('npm', ['config', 'get', 'registry'], { cwd: root, stdio: 'pipe' }),
  ).trim();
  const status = await fetch(new URL('lmdb', upstream))
    .then((response) => response.status)
    .catch(String);
  if (status !== 200) {
    process.stderr.write(`SKIPPED the registry on loopback: no other packages, ${status}\n`);
    return undefined;
  }
  const server = createServer(new Packages(upstream).serve);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const folder = tempFolder('annex-registry-');
  const env = npmEnvironment(url, folder.path);
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    folder[Symbol.dispose]();
  };
  return { url, env, [Symbol.asyncDispose]: stop };
}

/** https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md, as far as npm uses it to publish and install. */
class Packages {
  readonly #upstream: string;
  readonly #documents = new Map<string, Published>();
  readonly #tarballs = new Map<string, Buffer>();

  constructor(upstream: string) {
    this.#upstream = upstream;
  }

  readonly serve = (request: IncomingMessage, response: ServerResponse): void => {
    this.#respond(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  };

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent((request.url ?? '').slice(1));
    const isOwn = /^(?:annex|create-annex|@annex\/)/.test(path);
    const [, tarball = ''] = path.split('/-/');
    if (!isOwn) response.writeHead(307, { location: new URL(request.url ?? '', this.#upstream).href }).end();
    else if (request.method === 'PUT') {
      this.#publish((await json(request)) as Published);
      send(response, 201, '{}');
    } else if (this.#tarballs.has(tarball)) response.end(this.#tarballs.get(tarball));
    else if (this.#documents.has(path)) send(response, 200, JSON.stringify(this.#documents.get(path)));
    else send(response, 404, '{"error":"not found"}');
  }

  #publish({ _attachments: attachments = {}, ...document }: Published): void {
    if (this.#documents.has(document.name)) throw new Error(`${document.name} is published already`);
    this.#documents.set(document.name, document);
    for (const [name, { data }] of Object.entries(attachments))
      this.#tarballs.set(name, Buffer.from(data, 'base64'));
  }
}

const send = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(text);
