// Examples of built-in kinds with one field changed, sent to kube-apiserver and Annex: `npm run mutations -- --kube-apiserver FOLDER`.
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Client } from '@annex/client';
import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { Random } from '../random-decisions/random.ts';
import { differencesOf, type Observed } from './compare.ts';
import { type Example, readExamples } from './examples.ts';
import { mutationsOf } from './mutate.ts';
import { Report } from './report.ts';
import { connectTo, startServers } from './servers.ts';

const { values } = parseArgs({
  options: {
    'kube-apiserver': { type: 'string' },
    reference: { type: 'string' },
    annex: { type: 'string' },
    pki: { type: 'string' },
    only: { type: 'string', default: '' },
    verbs: { type: 'string', default: 'create,update,status' },
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '1' },
    lines: { type: 'string', default: '12' },
  },
});

/** Pairs of requests that run concurrently. */
const concurrency = 4;
const share = Number(values.share);
const verbs = values.verbs.split(',');
const names = values.only === '' ? [] : values.only.split(',');
await using servers =
  values['kube-apiserver'] === undefined
    ? connectTo(values.reference ?? '', values.annex ?? '', values.pki ?? '')
    : await startServers(values['kube-apiserver']);
const random = new Random(Number(values.seed));
const report = new Report();
let total = 0;
await both('POST', '/api/v1/namespaces', { metadata: { name: 'm' } });
for (const example of readExamples(names)) await play(example);
process.stdout.write(`${total} differences\n`);
process.exitCode = total === 0 ? 0 : 1;

async function play(example: Example): Promise<void> {
  if (verbs.includes('create')) await sendAll(example, 'create', 'POST', example.path, example.object);
  const name = metadataOf(example.object).name;
  if (!verbs.some((verb) => verb !== 'create') || name === undefined) return;
  const path = `${example.path}/${String(name)}`;
  await remove(path);
  const created = await both('POST', example.path, example.object);
  if (created.some(({ status }) => status !== 201)) {
    process.stdout.write(
      `!!!! ${example.name} is not created: ${JSON.stringify(created[1].body).slice(0, 600)}\n`,
    );
    return;
  }
  const revisions = await settledRevisions(path, example.object);
  if (verbs.includes('update')) await sendAll(example, 'update', 'PUT', path, example.object, revisions);
  if (verbs.includes('status') && example.status !== undefined) {
    const object = { ...example.object, status: example.status };
    await sendAll(example, 'status', 'PUT', `${path}/status`, object, revisions);
  }
  await remove(path);
}

function metadataOf(object: JsonValue): JsonObject {
  return isObject(object) && isObject(object.metadata) ? object.metadata : {};
}

/** Waits until controllers of the servers have written the status of a new object. */
async function settledRevisions(path: string, object: JsonObject): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const read = await both('GET', path);
    const revisions = read.map(({ body }) => String(metadataOf(body).resourceVersion));
    await setTimeout(300);
    const updated = await both('PUT', `${path}?dryRun=All`, object, revisions);
    if (attempt === 20 || updated.every(({ status }) => status !== 409)) return revisions;
  }
}

/** Deletes an object, also if it has finalizers. */
async function remove(path: string): Promise<void> {
  await both('DELETE', `${path}?gracePeriodSeconds=0`);
  const metadata = { name: path.slice(path.lastIndexOf('/') + 1) };
  if (path.startsWith('/api/v1/namespaces/') && path.split('/').length === 5)
    await both('PUT', `${path}/finalize`, { metadata });
  else await both('PATCH', path, { metadata: { finalizers: null } });
}

/** Sends an object and its mutations without storing them. */
async function sendAll(
  example: Example,
  verb: string,
  method: string,
  path: string,
  object: JsonObject,
  revisions: readonly string[] = [],
): Promise<void> {
  const compared = async (title: string, body: JsonObject): Promise<Observed> => {
    const [reference, annex] = await both(method, `${path}?dryRun=All`, body, revisions);
    report.add(title, differencesOf(reference, annex, JSON.stringify(body)));
    return reference;
  };
  const first = await compared('unchanged', object);
  if (first.status >= 300)
    process.stdout.write(`!!!! the example is refused: ${JSON.stringify(first.body).slice(0, 600)}\n`);
  const mutations = [...mutationsOf(object)].filter(() => random.chance(share));
  const next = async (): Promise<void> => {
    for (let mutation = mutations.shift(); mutation !== undefined; mutation = mutations.shift())
      await compared(mutation.title, mutation.object);
  };
  await Promise.all(Array.from({ length: concurrency }, next));
  total += report.differing;
  report.flush(`${example.name} ${verb}`, Number(values.lines));
}

function both(
  method: string,
  path: string,
  body?: JsonValue,
  [first, second]: readonly string[] = [],
): Promise<[Observed, Observed]> {
  return Promise.all([
    send(servers.reference, method, path, atRevision(body, first)),
    send(servers.annex, method, path, atRevision(body, second)),
  ]);
}

function atRevision(body: JsonValue | undefined, resourceVersion: string | undefined): JsonValue | undefined {
  if (resourceVersion === undefined || !isObject(body) || !isObject(body.metadata)) return body;
  return { ...body, metadata: { ...body.metadata, resourceVersion } };
}

async function send(client: Client, method: string, path: string, body?: JsonValue): Promise<Observed> {
  const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
  const request = { method, path, headers, ...(body === undefined ? {} : { body }) };
  const response = await client.send(request).catch((error: unknown) => String(error));
  // kube-apiserver ends the connection when it panics.
  if (typeof response === 'string') return { status: 0, warnings: '', body: response };
  const text = response.body.toString('utf8');
  const warnings = [response.headers.warning ?? []].flat().join('\n');
  return { status: response.status, warnings, body: parsed(text) };
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
