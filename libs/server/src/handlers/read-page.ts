import { Buffer } from 'node:buffer';
import { type KubeObject, StatusError, badRequest, expired, stringifyJson } from '@annex/machinery';
import { type ContinueToken, decodeContinue, encodeContinue } from '../queries/continue-token.ts';
import { type ListOptions, parseVersion } from '../queries/list-options.ts';
import { createPacer } from '@annex/runtime';
import type { CollectionRequest } from '../queries/selection.ts';
import { awaitRevision } from './await-revision.ts';
import { type Candidates, historicalObject, historicalObjects } from './read-history.ts';
import type { RequestScope } from './request-scope.ts';

/** A part of a collection at one revision. */
export interface Page {
  items: PageItem[];
  revision: number;
  /** The token of the next page; `''` for the last page. */
  continue: string;
  /** The number of objects that follow, if it is known. */
  remaining: number | undefined;
}

/** An object in the requested version: the stored object itself if that has the version. */
export interface PageItem {
  readonly object: KubeObject;
  json(): Buffer;
}

/** Reads the requested page. Throws kube-apiserver's errors: 400, 410 and 504. */
export async function readPage(scope: RequestScope, requested: CollectionRequest): Promise<Page> {
  const { options, chosen } = requested;
  const { objects, request, kind } = scope;
  const prefix = objects.prefixOf(request.info.namespace);
  if (options.continue !== '') {
    const token = decodeContinue(options.continue, prefix);
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    return await selectItems(
      scope,
      requested,
      await furtherCandidates(scope, token, prefix, (chosen.everything && options.limit) || undefined),
    );
  }
  // If the namespace is known, one name is one key.
  const isOne = chosen.name !== undefined && (request.info.namespace !== '' || !kind.namespaced);
  const place = isOne ? objects.key(request.info.namespace, chosen.name ?? '') : prefix;
  const candidates = await firstCandidates(scope, options, place, isOne, chosen.everything);
  return await selectItems(scope, requested, candidates);
}

/** Returns the candidates of a first page, from the watch cache if it has the requested revision. */
async function firstCandidates(
  scope: RequestScope,
  { resourceVersion, resourceVersionMatch, limit }: ListOptions,
  place: string,
  isOne: boolean,
  everything: boolean,
): Promise<Candidates> {
  const { cache } = scope.objects;
  const requested = listVersion(resourceVersion);
  await awaitRevision(cache, requested, scope.kind);
  // With a limit, a resourceVersion is exact, as before resourceVersionMatch existed.
  const exact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0 && !isOne);
  if (requested && exact && isOne) return await historicalObject(scope, place, Number(requested));
  if (requested && exact)
    return await historicalObjects(scope, place, { revision: Number(requested), startKey: place });
  // A page without selectors needs no other objects; the limit does not apply to version "0".
  if (everything && limit > 0 && resourceVersion !== '0') {
    const { entries, revision, count } = cache.list(place, limit);
    return { revision, count, chunks: [entries] };
  }
  return fromCache(scope, place);
}

function listVersion(resourceVersion: string): bigint | undefined {
  try {
    return parseVersion(resourceVersion);
  } catch (error) {
    throw badRequest(`invalid resource version: ${(error as Error).message}`);
  }
}

/** Returns the candidates of a further page. */
async function furtherCandidates(
  scope: RequestScope,
  token: ContinueToken,
  prefix: string,
  /** The number of objects of the page, if all are selected. */
  length: number | undefined,
): Promise<Candidates> {
  const { cache } = scope.objects;
  await awaitRevision(cache, token.revision < 0 ? undefined : BigInt(token.revision), scope.kind);
  if (token.revision < 0) return fromCache(scope, prefix, token.startKey);
  try {
    return await historicalObjects(scope, prefix, token, length);
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'Expired') throw expiredToken(token, prefix);
    throw error;
  }
}

/** Creates the 410 for an expired snapshot, with a token to continue without the snapshot. */
function expiredToken({ startKey }: ContinueToken, prefix: string): StatusError {
  const { status } = expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  return new StatusError({
    ...status,
    metadata: { continue: encodeContinue({ revision: -1, startKey }, prefix) },
  });
}

function fromCache(scope: RequestScope, place: string, startKey = place): Candidates {
  const { entries, revision } = scope.objects.cache.list(place);
  const remaining = startKey === place ? entries : entries.filter(({ key }) => key >= startKey);
  return { revision, count: remaining.length, chunks: [remaining] };
}

const converted = (object: KubeObject): PageItem => ({
  object,
  json: () => Buffer.from(stringifyJson(object)),
});

/** Objects that are decoded are compared in 0.1 µs each: to look at the clock for each of them would take as long again. */
const comparedAtOnce = 16;

/** Collects the objects that the selectors match, up to the limit. */
async function selectItems(
  { objects, request }: RequestScope,
  { options, chosen }: CollectionRequest,
  { revision, count, chunks }: Candidates,
): Promise<Page> {
  // As in kube-apiserver, resourceVersion "0" ignores the limit.
  const limit = options.resourceVersion === '0' ? Infinity : options.limit || Infinity;
  const items: PageItem[] = [];
  const pace = createPacer();
  let seen = 0;
  for await (const chunk of chunks) {
    for (const { key, value } of chunk) {
      const pause = seen++ % comparedAtOnce === 0 || !value.isDecoded ? pace() : undefined;
      if (pause) await pause;
      // Bytes are sent as they are; the object need not be decoded.
      if (!chosen.everything || !value.isEncoded || !objects.isShownAsStored(value)) {
        const shown = objects.show(value);
        const object = shown instanceof Promise ? await shown : shown;
        if (!chosen.everything && !chosen.matches(object)) continue;
        items.push(objects.isShownAsStored(value) ? value : converted(object));
      } else items.push(value);
      if (items.length < limit || seen === count) continue;
      const prefix = objects.prefixOf(request.info.namespace);
      const next = encodeContinue({ revision, startKey: `${key}\0` }, prefix);
      return { items, revision, continue: next, remaining: chosen.everything ? count - seen : undefined };
    }
  }
  return { items, revision, continue: '', remaining: undefined };
}
