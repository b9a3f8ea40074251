import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { connect } from 'node:tls';
import { stringifyJson } from '@annex/machinery';
import { createTestCA, loadTestCA } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../../runners/runner.ts';
import { patienceMs } from '../patience.ts';
import type { Extension } from './extension.ts';
import type { Printed } from '../command.ts';
import type { Kubectl } from './kubectl.ts';
import { apiServiceName, registerExtension, type Registration, servedByEndpoints } from './registration.ts';

const machineAddress = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

/** Milliseconds between two commands: what they wait for takes seconds. */
const pauseMs = 300;

/** Repeats a command until its output matches; resolves to the last output. */
async function eventually(
  kubectl: Kubectl,
  args: readonly string[],
  wanted: (printed: Printed) => boolean,
): Promise<Printed> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const printed = await kubectl.run(args);
    if (wanted(printed) || Date.now() > end) return printed;
    // Each command takes the processor time of many requests.
    await setTimeout(pauseMs);
  }
}

const succeeded = ({ code }: Printed): boolean => code === 0;

/**
 * The promises of every extension API server that is registered in a running Annex. `more` adds those of one server between the requests
 * and the restarts.
 */
export function extensionPromises(
  makeExtension: () => Promise<Extension>,
  startAnnex: () => Promise<Runner>,
  ownPromises: (registered: () => Registration) => void = () => undefined,
  { routesToEndpoints = true } = {},
) {
  let annex: Runner;
  let extension: Extension;
  let registered: Registration;
  const object = (name: string, more: Record<string, unknown> = {}): string =>
    stringifyJson({
      apiVersion: `${extension.group}/${extension.version}`,
      kind: extension.kind,
      metadata: { name, ...more },
      spec: extension.spec,
    });
  const create = (name: string, more?: Record<string, unknown>) =>
    registered.admin.ok(['create', '-f', '-'], object(name, more));
  const one = (name: string): string => `${extension.resource}.${extension.group}/${name}`;
  const collection = (): string =>
    `/apis/${extension.group}/${extension.version}/namespaces/default/${extension.resource}`;

  beforeAll(async () => {
    [annex, extension] = await Promise.all([startAnnex(), makeExtension()]);
    registered = await registerExtension(annex, extension);
  }, 600_000);
  afterAll(async () => {
    await registered?.[Symbol.asyncDispose]();
    await annex?.stop();
  });

  describe('registered', () => {
    it('EXT-010 is available, and discovery lists its resources', async () => {
      const { admin } = registered;
      expect(await admin.ok(['get', 'apiservice', apiServiceName(extension), '--no-headers'])).toMatch(
        new RegExp(`^\\S+\\s+${extension.namespace}/${extension.service}\\s+True\\s`),
      );
      expect(await admin.ok(['api-resources', `--api-group=${extension.group}`, '-o', 'name'])).toContain(
        `${extension.resource}.${extension.group}\n`,
      );
      expect(await admin.ok(['api-versions'])).toContain(`${extension.group}/${extension.version}\n`);
    });

    it('its OpenAPI document reaches kubectl explain', async () => {
      const { field, words } = extension.documented;
      const printed = await eventually(
        registered.admin,
        ['explain', `${extension.resource}.spec.${field}`],
        succeeded,
      );
      expect(printed.text.replace(/\s+/g, ' ')).toContain(words);
    });

    it('EXT-005 shows the certificate of its files', async () => {
      const { port, serving } = registered;
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const shown = socket.getPeerX509Certificate()?.fingerprint256;
      socket.destroy();
      expect(shown).toBe(new X509Certificate(serving.certificate).fingerprint256);
    });

    it('APIS-015 its CA is stored as base64 of the PEM, without line breaks', async () => {
      const name = apiServiceName(extension);
      const kept = await registered.admin.ok(['get', 'apiservice', name, '-o', 'jsonpath={.spec.caBundle}']);
      expect(kept).toMatch(/^[A-Za-z0-9+/]+=*$/);
      expect(Buffer.from(kept, 'base64').toString()).toBe(registered.serving.ca);
    });

    it('AGG-026 AGG-029 its requests to Annex with the token of its service account succeed', () => {
      // A Go server listens before it has read the trusted CAs, and logs errors about requests until then.
      const requested = registered
        .lines()
        .filter((line) => !line.includes('Unable to authenticate the request'));
      expect(requested.filter((line) => /^[EF]\d{4} |Unauthorized|x509|forbidden/.test(line))).toEqual([]);
    });
  });

  describe('an administrator', () => {
    it('EXT-011 gets an empty list if there are no objects', async () => {
      expect((await registered.admin.run(['get', extension.resource])).text).toContain('No resources found');
    });

    it('creates, gets, changes and deletes objects with kubectl', async () => {
      const { admin } = registered;
      expect(await create('first')).toContain(`${one('first').replace('s.', '.')} created`);
      expect(JSON.parse(await admin.ok(['get', one('first'), '-o', 'json']))).toMatchObject({
        metadata: { name: 'first', namespace: 'default', uid: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        spec: extension.spec,
      });
      expect(await admin.ok(['get', extension.resource])).toMatch(/^NAME\s[\s\S]*^first\s/m);
      await admin.ok(['label', one('first'), 'a=b']);
      await admin.ok(['apply', '--server-side', '-f', '-'], object('first', { labels: { c: 'd' } }));
      expect(await admin.ok(['get', one('first'), '--show-labels'])).toMatch(/a=b,c=d/);
      await admin.ok(['delete', one('first')]);
      expect((await admin.run(['get', one('first')])).text).toContain(
        `Error from server (NotFound): ${extension.resource}.${extension.group} "first" not found`,
      );
    });

    it('sees every change in a watch, as it happens', async () => {
      const { admin } = registered;
      await using watch = await admin.start(['get', extension.resource, '-w', '--output-watch-events']);
      await create('watched');
      await watch.waitFor(/^ADDED\s+watched/);
      await admin.ok(['label', one('watched'), 'a=b']);
      await watch.waitFor(/^MODIFIED\s+watched/);
      await admin.ok(['delete', one('watched')]);
      await watch.waitFor(/^DELETED\s+watched/);
    });

    it('cannot create in a namespace that does not exist', async () => {
      const { code, text } = await registered.admin.run(
        ['create', '-f', '-'],
        object('lost', { namespace: 'nowhere' }),
      );
      expect(text).toContain('namespaces "nowhere" not found');
      expect(code).toBe(1);
    });
  });

  describe('a user with a client certificate', () => {
    const user = 'jane';
    const refusal = () =>
      `${extension.resource}.${extension.group} is forbidden: User "${user}" cannot list resource "${extension.resource}" in API group "${extension.group}" in the namespace "default"`;

    it('AGG-004 AGG-028 is refused without a grant, by Annex and by the access review of the extension server', async () => {
      expect((await registered.author.run(['get', extension.resource])).text).toContain(refusal());
      const there = await registered.authorAtExtension.run(['get', '--raw', collection()]);
      expect(there.text).toContain(refusal());
      expect(there.code).toBe(1);
    });

    it('AGG-031 is allowed after an RBAC grant, by both', async () => {
      const { admin, author, authorAtExtension } = registered;
      await create('granted');
      const verbs = '--verb=get,list,watch';
      // Several extension servers may use the same API server.
      const reader = `${extension.resource}-reader`;
      await admin.ok([
        'create',
        'role',
        reader,
        verbs,
        `--resource=${extension.resource}.${extension.group}`,
      ]);
      await admin.ok(['create', 'rolebinding', reader, `--role=${reader}`, `--user=${user}`]);
      expect((await eventually(author, ['get', extension.resource], succeeded)).text).toContain('granted');
      const there = await eventually(authorAtExtension, ['get', '--raw', collection()], succeeded);
      expect(there.text).toContain('"name":"granted"');
      expect((await author.run(['delete', one('granted')])).text).toContain(
        `User "${user}" cannot delete resource "${extension.resource}"`,
      );
      await admin.ok(['delete', one('granted')]);
    });
  });

  describe('called without Annex', () => {
    const asAdmin = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
    const refused = (user: string) => ({
      status: 403,
      text: expect.stringContaining(`User \\"${user}\\" cannot list`) as string,
    });
    const unauthorized = { status: 401, text: expect.stringContaining('Unauthorized') as string };
    const proxy = (commonName: string) => loadTestCA(annex.pki, 'front-proxy-ca').issue({ commonName });
    const user = (commonName: string) => loadTestCA(annex.pki).issue({ commonName });

    it('identity headers without a certificate are unauthenticated', async () => {
      expect(await registered.askExtension(collection(), undefined, asAdmin)).toEqual(
        refused('system:anonymous'),
      );
    });

    it("AGG-020 identity headers beside a user's certificate do not count", async () => {
      expect(await registered.askExtension(collection(), user('mallory'), asAdmin)).toEqual(
        refused('mallory'),
      );
    });

    it('AGG-011 AGG-022 identity headers with a certificate of an unknown CA are rejected', async () => {
      const foreign = createTestCA('front-proxy-ca').issue({ commonName: 'front-proxy-client' });
      expect(await registered.askExtension(collection(), foreign, asAdmin)).toEqual(unauthorized);
    });

    it('AGG-012 identity headers of a proxy whose name is not allowed are rejected', async () => {
      expect(await registered.askExtension(collection(), proxy('other'), asAdmin)).toEqual(unauthorized);
    });

    it('AGG-024 identity headers of the front proxy count', async () => {
      const asBob = { 'x-remote-user': 'bob' };
      expect(await registered.askExtension(collection(), proxy('front-proxy-client'), asBob)).toEqual(
        refused('bob'),
      );
    });
  });

  ownPromises(() => registered);

  describe('restarts', () => {
    it('without the extension server its group is unavailable and all others work', async () => {
      await create('kept');
      await registered.stopExtension();
      expect((await registered.admin.run(['get', '--raw', collection()])).text).toContain(
        'ServiceUnavailable',
      );
      expect(await registered.admin.ok(['get', 'namespaces'])).toContain('kube-system');
    });

    it('the extension server still has its objects', async () => {
      await registered.startExtension();
      const printed = await eventually(registered.admin, ['get', one('kept')], succeeded);
      expect(printed.text).toContain('kept');
    });

    it('Annex still has the registration, and the extension server trusts it again', async () => {
      await annex.restart();
      const { admin, author, authorAtExtension } = registered;
      expect((await eventually(admin, ['get', one('kept')], succeeded)).text).toContain('kept');
      expect((await eventually(author, ['get', extension.resource], succeeded)).text).toContain('kept');
      expect((await authorAtExtension.run(['get', '--raw', collection()])).code).toBe(0);
      await admin.ok(['delete', one('kept')]);
      await create('after');
    });

    it.runIf(machineAddress && routesToEndpoints)(
      'a Service with an EndpointSlice leads to it as well',
      async () => {
        const { admin, port } = registered;
        await admin.ok(['delete', 'service', extension.service, '-n', extension.namespace]);
        await admin.ok(['apply', '-f', '-'], servedByEndpoints(extension, machineAddress as string, port));
        const printed = await eventually(admin, ['get', one('after')], succeeded);
        expect(printed.text).toContain('after');
      },
    );

    it('AGG-041 without its APIService it is not served', async () => {
      const { admin } = registered;
      for (const version of [extension.version, ...(extension.otherVersions ?? [])]) {
        await admin.ok(['delete', 'apiservice', apiServiceName({ ...extension, version })]);
      }
      const gone = await eventually(admin, ['get', extension.resource], ({ code }) => code !== 0);
      expect(gone.text).toMatch(/doesn't have a resource type|could not find the requested resource/);
    });
  });
}
