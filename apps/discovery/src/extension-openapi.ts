import type { Buffer } from 'node:buffer';
import { isObject, parseJson } from '@annex/machinery';
import { openApiUser } from './extension-discovery.ts';
import { type FetchRemote, type Registration, groupOf } from './sources.ts';

const limits = { timeoutMs: 10_000, maxBytes: 16 * 1024 * 1024 };

/** The place of the document of a registered version. */
export const openApiPathOf = (registration: Registration): string =>
  groupOf(registration) === ''
    ? `api/${registration.spec.version}`
    : `apis/${groupOf(registration)}/${registration.spec.version}`;

/** The document of a registered version, as its server sent it. */
export interface ServedDocument {
  hash: string;
  bytes: Buffer;
}

/**
 * The OpenAPI document that an extension server has for its version; the known one where its hash is still the same,
 * `undefined` where it publishes none. Throws where the server does not answer with a document.
 */
export async function fetchOpenApi<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
  known: ServedDocument | undefined,
): Promise<ServedDocument | undefined> {
  const hash = await fetchHash(fetch, registration);
  if (hash === undefined) return undefined;
  if (hash === known?.hash) return known;
  const path = `/openapi/v3/${openApiPathOf(registration)}`;
  const { status, body } = await get(fetch, registration, path);
  const document = status === 200 ? parseJson(body.toString()) : undefined;
  if (!isObject(document)) throw new Error(`the extension server answered ${status} to ${path}`);
  return { hash, bytes: body };
}

async function fetchHash<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
): Promise<string | undefined> {
  const { status, body } = await get(fetch, registration, '/openapi/v3');
  if (status !== 200) return undefined;
  const index = parseJson(body.toString());
  const paths = isObject(index) && isObject(index.paths) ? index.paths : {};
  const path = openApiPathOf(registration);
  const entry = Object.hasOwn(paths, path) ? paths[path] : undefined;
  const url = isObject(entry) ? entry.serverRelativeURL : undefined;
  if (typeof url !== 'string') return undefined;
  return new URLSearchParams(url.split('?')[1]).get('hash') ?? url;
}

const get = <R extends Registration>(fetch: FetchRemote<R>, registration: R, path: string) =>
  fetch(registration, { path, user: openApiUser, headers: { accept: 'application/json' }, ...limits });
