import { setTimeout } from 'node:timers/promises';
import { PlainClient, type TurnRequest } from './h2-client.ts';
import { definitions, largeDefinition } from './large-definitions.ts';
import { type Body, group, shapes } from './large-objects.ts';
import { definitionRows } from './definition-rows.ts';
import { objectRows } from './object-rows.ts';
import { requestGroups } from './request-groups.ts';
import { addTurns, newResult, type TurnResult } from './turn-result.ts';
import type { TurnRow } from './turn-row.ts';
import { startTurnServer, type TurnServer } from './turn-server.ts';
import { startWebhooks, type WebhookServer } from './webhook-server.ts';

const registration = '/apis/admissionregistration.k8s.io/v1';

async function prepare(client: PlainClient, webhooks: WebhookServer): Promise<void> {
  const must = async (path: string, body: Body) => {
    const { status, body: text } = await client.send({ method: 'POST', path, body: JSON.stringify(body) });
    if (status > 299) throw new Error(`${path}: ${status} ${text.toString().slice(0, 500)}`);
  };
  for (const name of ['large', 'audited', 'ending']) await must('/api/v1/namespaces', { metadata: { name } });
  for (const definition of definitions(webhooks.clientConfig('/convert'))) {
    await must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const { plural } = definition.spec.names;
    const path = `/apis/${group}/v1/namespaces/large/${plural}`;
    while ((await client.send({ method: 'GET', path })).status !== 200) await setTimeout(20);
  }
  const resourceRule = (resource: string) => ({
    operations: ['CREATE', 'UPDATE'],
    apiGroups: [group],
    apiVersions: ['v1'],
    resources: [resource],
  });
  const hook = (path: string, resource = 'hooked') => ({
    metadata: { name: `turns-${path}` },
    webhooks: [
      {
        name: `${path}.annex.example`,
        clientConfig: webhooks.clientConfig(`/${path}`),
        rules: [resourceRule(resource)],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  await must(`${registration}/mutatingwebhookconfigurations`, hook('mutate'));
  await must(`${registration}/mutatingwebhookconfigurations`, hook('extend', 'extended'));
  await must(`${registration}/validatingwebhookconfigurations`, hook('validate'));
  const matchConstraints = { resourceRules: [resourceRule('ruled')] };
  await must(`${registration}/validatingadmissionpolicies`, {
    metadata: { name: 'turns' },
    spec: {
      matchConstraints,
      validations: [
        {
          expression:
            "!has(object.spec.items) || object.spec.items.all(i, i.size >= 0 && i.name.startsWith('item-'))",
        },
        { expression: 'object.spec.items.map(i, i.size).sum() > 0' },
      ],
    },
  });
  await must(`${registration}/validatingadmissionpolicybindings`, {
    metadata: { name: 'turns' },
    spec: { policyName: 'turns', validationActions: ['Deny'] },
  });
  await must(`${registration}/mutatingadmissionpolicies`, mutatingPolicy([resourceRule('policed')]));
  await must(`${registration}/mutatingadmissionpolicybindings`, {
    metadata: { name: 'turns' },
    spec: { policyName: 'turns' },
  });
  await setTimeout(500);
}

/** A policy with an operation for each item, and a merge. */
const mutatingPolicy = (resourceRules: object[]): Body => ({
  metadata: { name: 'turns' },
  spec: {
    matchConstraints: { resourceRules },
    reinvocationPolicy: 'Never',
    mutations: [
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression:
            'object.spec.items.map(i, JSONPatch{op: "replace", path: "/spec/items/" + string(i.size) + "/name", value: "changed"})',
        },
      },
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression:
            'Object{metadata: Object.metadata{annotations: Object.metadata.annotations{policed: "true"}}}',
        },
      },
    ],
  },
});

async function send(client: PlainClient, row: TurnRow, unexpected: string[]): Promise<number> {
  if (row.watched === undefined) {
    const { status, body } = await client.send(row);
    if (row.expected === undefined ? status > 299 : status !== row.expected)
      unexpected.push(`${row.name}: ${status} ${body.toString().slice(0, 900)}`);
    return status;
  }
  const watch = client.watch(row);
  await watch.received(row.watched);
  watch.end();
  return 200;
}

const rowName = (shape: string): string => `turns of ${shape}`;
const definitionName = 'a definition';

export const turnNames: readonly string[] = [...shapes, { name: definitionName }, ...requestGroups].map(
  ({ name }) => rowName(name),
);

/** Which shapes are measured, how often, and where the samples of long turns are written. */
export interface TurnSettings {
  names: ReadonlySet<string>;
  repetitions: number;
  profiles: string | undefined;
  /** The program of Annex. Default: this checkout. */
  program: string | undefined;
}

/** Measures the longest turn of the server for requests with large objects. */
export async function runTurns(
  { names, repetitions, profiles, program }: TurnSettings,
  report: (result: TurnResult) => void,
): Promise<TurnResult[]> {
  using webhooks = await startWebhooks();
  await using server = await startTurnServer({ profiles, program });
  using client = new PlainClient(server.config);
  await prepare(client, webhooks);
  const results: TurnResult[] = [];
  const definition = largeDefinition();
  const groups = [
    ...shapes.map((shape) => [shape.name, objectRows(shape)] as const),
    [definitionName, definitionRows(definition)] as const,
    ...requestGroups.map((group) => [group.name, group.rows()] as const),
  ].filter(([name]) => names.has(rowName(name)));
  for (const [shape, rows] of groups) {
    const ofShape = rows.map((row) => newResult(shape, row.name));
    for (let i = 0; i < repetitions; i++) {
      await server.longest();
      for (const [index, row] of rows.entries()) {
        await measure(client, server, row, ofShape[index] as TurnResult);
      }
      await setTimeout(200);
    }
    for (const result of ofShape) report(result);
    results.push(...ofShape);
  }
  return results;
}

async function measure(
  client: PlainClient,
  server: TurnServer,
  row: TurnRow,
  result: TurnResult,
): Promise<void> {
  await sendAll(client, row.before, result.unexpected);
  if (row.before !== undefined) await server.longest();
  result.status = await send(
    client,
    row.needsVersion === true ? await withVersion(client, server, row) : row,
    result.unexpected,
  );
  if (row.waitMs !== undefined) await setTimeout(row.waitMs);
  const longest = await server.longest();
  await sendAll(client, row.after, result.unexpected);
  if (row.after !== undefined) await server.longest();
  addTurns(result, longest);
}

/** Sends requests that are not measured, some at a time. */
async function sendAll(
  client: PlainClient,
  requests: readonly TurnRequest[] = [],
  unexpected: string[],
): Promise<void> {
  const left = requests.values();
  const worker = async (): Promise<void> => {
    for (const request of left) {
      const { status, body } = await client.send(request);
      if (status > 299) unexpected.push(`${request.path}: ${status} ${body.toString().slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: requests[0]?.method === 'POST' ? 16 : 1 }, worker));
}

/** Returns the row with the current resourceVersion in its body. */
async function withVersion(client: PlainClient, server: TurnServer, row: TurnRow): Promise<TurnRow> {
  const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
  const { body } = await client.send({ method: 'GET', path: row.path, accept });
  const version = /"resourceVersion":"(\d+)"/.exec(body.toString())?.[1] ?? '';
  await server.longest();
  return { ...row, body: String(row.body ?? '').replace('VERSION', version) };
}
