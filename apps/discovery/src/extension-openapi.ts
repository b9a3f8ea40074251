import { type JsonObject, isObject, parseJson } from '@annex/machinery';
import { openApiUser } from './extension-discovery.ts';
import { type FetchRemote, type Registration, groupOf } from './sources.ts';

const limits = { timeoutMs: 10_000, maxBytes: 64 * 1024 * 1024 };

/** The place of the document of a registered version. */
export const openApiPathOf = (registration: Registration): string =>
  groupOf(registration) === ''
    ? `api/${registration.spec.version}`
    : `apis/${groupOf(registration)}/${registration.spec.version}`;

/** The hash of an extension server's own document of its version; `undefined` where it publishes none. */
export async function fetchOpenApiHash<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
): Promise<string | undefined> {
  const answer = await fetch(registration, {
    path: '/openapi/v3',
    user: openApiUser,
    headers: { accept: 'application/json' },
    ...limits,
  });
  if (answer.status !== 200) return undefined;
  const index = parseJson(answer.body.toString());
  const paths = isObject(index) && isObject(index.paths) ? index.paths : {};
  const path = openApiPathOf(registration);
  const entry = Object.hasOwn(paths, path) ? paths[path] : undefined;
  const url = isObject(entry) ? entry.serverRelativeURL : undefined;
  if (typeof url !== 'string') return undefined;
  return new URLSearchParams(url.split('?')[1]).get('hash') ?? url;
}

/** The document itself. Throws where the server does not answer with one. */
export async function fetchOpenApi<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
): Promise<JsonObject> {
  const path = `/openapi/v3/${openApiPathOf(registration)}`;
  const answer = await fetch(registration, {
    path,
    user: openApiUser,
    headers: { accept: 'application/json' },
    ...limits,
  });
  const document = answer.status === 200 ? parseJson(answer.body.toString()) : undefined;
  if (!isObject(document)) throw new Error(`the extension server answered ${answer.status} to ${path}`);
  return document;
}
