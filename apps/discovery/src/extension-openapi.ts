import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '@annex/machinery';
import { readSwagger, selectPaths, type Swagger, swaggerToV3 } from '@annex/openapi';
import { ask, objectIn } from './extension-request.ts';
import { type FetchRemote, type Registration, groupOf } from './sources.ts';

const json = 'application/json';
/** Milliseconds in which an extension server has to send an OpenAPI document. Source: kube-aggregator. */
export const openApiTimeoutMs = 60_000;

/** Documents of version 3 that the index of one extension server may list: one for each version of its groups. */
export const maxOpenApiPaths = 1000;

/** As whom it asks for OpenAPI documents, which every authenticated user may read. */
const user = { name: 'system:aggregator', groups: [], extra: {} };

/** The place of the document of a registered version. */
export const openApiPathOf = (registration: Registration): string =>
  groupOf(registration) === ''
    ? `api/${registration.spec.version}`
    : `apis/${groupOf(registration)}/${registration.spec.version}`;

/** What an extension server publishes. */
export interface ServedOpenApi {
  /** Where it answers documents of version 3: `serverRelativeURL`s by path. `undefined` where it knows no version 3. */
  urls: ReadonlyMap<string, string> | undefined;
  v2?: ServedV2 | undefined;
}

/** The document of version 2 of an extension server. */
export interface ServedV2 {
  /** The word of the server, or a hash of what it sent. */
  etag: string;
  isOwnWord: boolean;
  /** The paths of the registered version, with what belongs to them. */
  document: Swagger;
  /** The whole of it as a document of version 3, for a server that has none. */
  converted: JsonObject | undefined;
}

/**
 * Asks an extension server for its document of version 2 and for the index of version 3. Resolves to what is known where
 * nothing changed, also of a part that it did not answer now. Throws where it answered neither.
 */
export async function fetchOpenApi<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
  known: ServedOpenApi | undefined,
): Promise<ServedOpenApi> {
  const index = await settled(fetchIndex(fetch, registration));
  const urls = 'value' in index ? index.value : known?.urls;
  const isLegacy = 'value' in index && urls === undefined;
  const document = await settled(fetchV2(fetch, registration, known?.v2, isLegacy));
  if ('error' in index && 'error' in document) throw document.error;
  const v2 = 'value' in document ? document.value : known?.v2;
  return v2 === known?.v2 && known !== undefined && equal(urls, known.urls) ? known : { urls, v2 };
}

const settled = <T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

const equal = (a: ServedOpenApi['urls'], b: ServedOpenApi['urls']): boolean =>
  JSON.stringify([...(a ?? [])]) === JSON.stringify([...(b ?? [])]) &&
  (a === undefined) === (b === undefined);

async function fetchIndex<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
): Promise<ServedOpenApi['urls']> {
  const response = await ask(fetch, registration, { path: '/openapi/v3', user, timeoutMs: openApiTimeoutMs });
  if (response.status === 404) return undefined;
  if (response.status !== 200)
    throw new Error(`the extension server answered ${response.status} to /openapi/v3`);
  const { paths } = objectIn(response);
  if (paths !== undefined && paths !== null && !isObject(paths)) throw new Error('its paths are no object');
  const entries = Object.entries(paths ?? {});
  if (entries.length > maxOpenApiPaths) throw new Error(`its index lists more than ${maxOpenApiPaths} paths`);
  return new Map(entries.map(([path, entry]) => [path, urlIn(entry)]));
}

function urlIn(entry: unknown): string {
  const url = isObject(entry) ? (entry.serverRelativeURL ?? '') : undefined;
  if (typeof url !== 'string') throw new Error('a path of its index names no URL');
  return url;
}

async function fetchV2<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
  before: ServedV2 | undefined,
  isLegacy: boolean,
): Promise<ServedV2> {
  // What was not converted then cannot be now.
  const known = isLegacy && before?.converted === undefined ? undefined : before;
  const etag = known?.isOwnWord ? known.etag : undefined;
  const response = await ask(fetch, registration, {
    path: '/openapi/v2',
    user,
    accept: json,
    etag,
    timeoutMs: openApiTimeoutMs,
  });
  if (response.status === 304 && known !== undefined) return known;
  if (response.status !== 200)
    throw new Error(`the extension server answered ${response.status} to /openapi/v2`);
  const word = response.headers.etag;
  const hash = word ?? createHash('sha512').update(response.body).digest('hex');
  if (hash === known?.etag) return known;
  const whole = readSwagger(objectIn(response));
  const within = `/apis/${groupOf(registration)}/${registration.spec.version}/`;
  return {
    etag: hash,
    isOwnWord: word !== undefined,
    document: selectPaths(whole, (path) => path.startsWith(within)),
    converted: isLegacy ? swaggerToV3(whole) : undefined,
  };
}
