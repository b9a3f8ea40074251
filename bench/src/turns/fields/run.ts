import { PlainClient } from '../h2-client.ts';
import type { TurnSettings } from '../run.ts';
import { addTurns, newResult, type TurnResult } from '../turn-result.ts';
import { startTurnServer, type TurnServer } from '../turn-server.ts';
import { filledObject, type Filling, isRepeatable } from './filled-object.ts';
import { type Document, type Field, type Kind, Schemas } from './schemas.ts';

export const everyFieldName = 'turns of every field';

/** The size of each body: all goals are about objects of 1 MB. */
const bodyBytes = 950_000;
/** A request is repeated while its longest turn is above it, because other work only makes turns longer. */
const [repeatedAboveMs, mostRepetitions] = [18, 5];

/** Fields whose checks take a minute for one body: each variable is an expression that may use those before it. */
const slow = /^spec\.variables/;

/**
 * Measures the longest turn of the creation of each built-in kind with each of its lists and maps filled, as a dry run. Most are
 * refused, after all checks. Calls `report` for the fields above the limit.
 */
export async function runEveryField(
  { profiles, program }: TurnSettings,
  report: (result: TurnResult) => void,
): Promise<TurnResult[]> {
  await using server = await startTurnServer({ profiles, program });
  using client = new PlainClient(server.config);
  await client.send({ method: 'POST', path: '/api/v1/namespaces', body: '{"metadata":{"name":"large"}}' });
  const get = async <T>(path: string): Promise<T> =>
    JSON.parse((await client.send({ method: 'GET', path })).body.toString()) as T;
  const { paths } = await get<{ paths: Record<string, { serverRelativeURL: string }> }>('/openapi/v3');
  const results: TurnResult[] = [];
  const versions = Object.entries(paths).filter(([path]) => /^apis?\/.*v\d/.test(path));
  for (const [, { serverRelativeURL }] of versions) {
    const document = await get<Document>(serverRelativeURL);
    for (const request of requestsOf(document)) {
      const result = await measure(client, server, request);
      if (Math.min(...result.ownMs) > repeatedAboveMs) report(result);
      results.push(result);
    }
  }
  return results;
}

interface FieldRequest {
  shape: string;
  row: string;
  path: string;
  body(): string;
}

function* requestsOf(document: Document): Generator<FieldRequest> {
  const schemas = new Schemas(document);
  for (const [path, { post }] of Object.entries(document.paths)) {
    const kind = post?.['x-kubernetes-group-version-kind'];
    if (kind === undefined) continue;
    const root = schemas.ofKind(kind);
    const isAnyNamespace = document.paths[path.replace(/\/([^/]+)$/, '/namespaces/{namespace}/$1')];
    if (root === undefined || path.includes('{name}') || isAnyNamespace !== undefined) continue;
    for (const field of schemas.fieldsOf(root)) {
      const name = field.path.join('.');
      if (slow.test(name) || !isMeasured(field, kind)) continue;
      const fillings: Filling[] = isRepeatable(field) ? ['one', 'many'] : ['one'];
      for (const filling of fillings)
        yield {
          shape: `fields of ${kind.group || 'core'}/${kind.version}`,
          row: `${kind.kind} ${name}, ${filling}`,
          path: `${path.replace('{namespace}', 'large')}?dryRun=All`,
          body: () => JSON.stringify(named(filledObject(schemas, root, field, filling, bodyBytes), kind)),
        };
    }
  }
}

/** The metadata of all kinds is the same. */
const isMeasured = ({ path: [head, name = ''] }: Field, { kind }: Kind): boolean =>
  head !== 'metadata' || (kind === 'ConfigMap' && filledMetadata.has(name));

const filledMetadata = new Set(['labels', 'annotations', 'ownerReferences', 'finalizers']);

function named(object: Record<string, unknown>, { group, version, kind }: Kind): object {
  const metadata = Object.entries(object.metadata ?? {}).filter(([name]) => filledMetadata.has(name));
  return {
    ...object,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { ...Object.fromEntries(metadata), name: 'n0' },
  };
}

async function measure(
  client: PlainClient,
  server: TurnServer,
  { shape, row, path, body }: FieldRequest,
): Promise<TurnResult> {
  const text = body();
  const result = newResult(shape, row);
  await server.longest();
  do {
    const { status } = await client.send({ method: 'POST', path, body: text });
    result.status = status;
    addTurns(result, await server.longest());
  } while (Math.min(...result.ownMs) > repeatedAboveMs && result.ownMs.length < mostRepetitions);
  return result;
}
