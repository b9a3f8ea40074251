import { readFileSync } from 'node:fs';
import { defineResource } from '@annex/sdk';
import { Client, type RunningExtension, type Snapshot, startAnnex, type TestAnnex } from '@annex/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

// The parts between the marks are in docs/guides/test-with-annex.md; the last test compares them.

const greetings = defineResource({
  version: 'v1',
  kind: 'Greeting',
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, language: { type: 'string', default: 'en' } },
      },
    },
  },
});

let annex: TestAnnex;
let extension: RunningExtension;
let registered: Snapshot;

beforeAll(async () => {
  annex = await startAnnex();
  extension = await annex.serve({ group: 'hello.example.com', resources: [greetings] });
  registered = await annex.snapshot();
});
beforeEach(() => annex.restore(registered));
afterAll(() => annex.stop());

describe('a greeting', () => {
  it('is created through Annex, with the defaults of the extension server', async () => {
    const hello = annex.admin.resource('hello.example.com', greetings, 'default');
    const { spec } = await hello.create({ metadata: { name: 'moon' }, spec: { name: 'Moon' } });
    expect(spec?.language).toBe('en');
  });

  it('is listed for users with a role, and forbidden for others', async () => {
    const jane = await annex.as({ user: 'jane' });
    const hello = jane.resource('hello.example.com', greetings, 'default');
    await expect(hello.list()).rejects.toThrow('User "jane" cannot list resource "greetings"');
    await annex.admin.apply(`
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata: { name: greeter }
      rules: [{ apiGroups: [hello.example.com], resources: [greetings], verbs: [list] }]
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata: { name: jane-greets }
      roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: greeter }
      subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: jane }]
    `);
    expect(await hello.list()).toHaveLength(1);
  });
});

const path = '/apis/hello.example.com/v1/namespaces/default/greetings';
const asRoot = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };

/** Sends a request to the extension server without Annex. */
async function askExtension(headers: Record<string, string>, certificate = {}): Promise<number> {
  const { url: server, serverName: tlsServerName } = extension;
  const client = new Client({ server, ca: annex.ca, tlsServerName, ...certificate });
  const { status } = await client.send({ path, headers });
  client.close();
  return status;
}

describe('the extension server', () => {
  it('trusts the identity headers of Annex only', async () => {
    const { cert, key } = (await annex.as({ user: 'mallory' })).config;
    expect(await askExtension(asRoot, annex.proxyCertificate)).toBe(200);
    expect(await askExtension(asRoot, { cert, key })).toBe(403);
    expect(await askExtension(asRoot)).toBe(403);
  });

  it('sends SubjectAccessReviews to Annex, which requires a permission', async () => {
    const asBob = { 'x-remote-user': 'bob' };
    expect(await askExtension(asBob, annex.proxyCertificate)).toBe(403);
    const bindings = { apiVersion: 'rbac.authorization.k8s.io/v1', resource: 'clusterrolebindings' };
    await annex.admin.resource(bindings).delete('hello-example-com:system:auth-delegator');
    expect(await askExtension(asBob, annex.proxyCertificate)).toBe(500);
  });
});

it('the guide contains the tested code', () => {
  const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8').replace(/\s+/g, ' ');
  const guide = readFileSync(new URL('../../../docs/guides/test-with-annex.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) =>
    code.replace(/\s+/g, ' ').trim(),
  );
  expect(blocks.length).toBeGreaterThan(4);
  expect(blocks.filter((block) => !read('./test-with-annex.test.ts').includes(block))).toEqual([]);
});
