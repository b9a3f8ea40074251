import { Buffer } from 'node:buffer';
import { subtle } from 'node:crypto';
import { isObject, type JsonObject } from '@annex/machinery';
import { readSwagger, selectPaths, type Swagger, swaggerToV3 } from '@annex/openapi';
import { ask, inSlices, objectIn } from './extension-request.ts';
import { type FetchRemote, type Registration, groupOf } from './sources.ts';

const json = 'application/json';
/** Milliseconds that an extension server has to send an OpenAPI document. Source: kube-aggregator. */
export const openApiTimeoutMs = 60_000;

/** Maximum number of version 3 documents in the index of one extension server: one for each version of its groups. */
export const maxOpenApiPaths = 1000;

/** The user of requests for OpenAPI documents, which every authenticated user may read. */
const user = { name: 'system:aggregator', groups: [], extra: {} };

/** Returns the path of the document of a registered version. */
export const openApiPathOf = (registration: Registration): string =>
  groupOf(registration) === ''
    ? `api/${registration.spec.version}`
    : `apis/${groupOf(registration)}/${registration.spec.version}`;

/** The OpenAPI documents of an extension server. */
export interface ServedOpenApi {
  /** The `serverRelativeURL`s of version 3 documents by path; `undefined` if the server does not support version 3. */
  urls: ReadonlyMap<string, string> | undefined;
  v2?: ServedV2 | undefined;
}

/** The document of version 2 of an extension server. */
export interface ServedV2 {
  /** The `ETag` of the server, or a hash of the document. */
  etag: string;
  isOwnWord: boolean;
  /** The paths of the registered version, with the definitions that they use. */
  document: Swagger;
  /** The whole document converted to version 3, for a server without version 3. */
  converted: JsonObject | undefined;
}

/**
 * Fetches the version 2 document and the version 3 index of an extension server. A part that did not change or was not returned keeps its
 * known value. Throws if the server returned neither.
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
    throw new Error(`the extension server returned ${response.status} for /openapi/v3`);
  const { paths } = await objectIn(response);
  if (paths !== undefined && paths !== null && !isObject(paths))
    throw new Error('its paths are not an object');
  const entries = Object.entries(paths ?? {});
  if (entries.length > maxOpenApiPaths) throw new Error(`its index lists more than ${maxOpenApiPaths} paths`);
  return new Map(entries.map(([path, entry]) => [path, urlIn(entry)]));
}

function urlIn(entry: unknown): string {
  const url = isObject(entry) ? (entry.serverRelativeURL ?? '') : undefined;
  if (typeof url !== 'string') throw new Error('a path of its index has no URL');
  return url;
}

async function fetchV2<R extends Registration>(
  fetch: FetchRemote<R>,
  registration: R,
  before: ServedV2 | undefined,
  isLegacy: boolean,
): Promise<ServedV2> {
  // Documents without a conversion need a new download for it.
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
    throw new Error(`the extension server returned ${response.status} for /openapi/v2`);
  const word = response.headers.etag;
  const hash = word ?? Buffer.from(await subtle.digest('SHA-512', response.body)).toString('hex');
  if (hash === known?.etag) return known;
  const whole = await inSlices(readSwagger(await objectIn(response)));
  const within = `/apis/${groupOf(registration)}/${registration.spec.version}/`;
  return {
    etag: hash,
    isOwnWord: word !== undefined,
    document: await inSlices(selectPaths(whole, (path) => path.startsWith(within))),
    converted: isLegacy ? await inSlices(swaggerToV3(whole)) : undefined,
  };
}
