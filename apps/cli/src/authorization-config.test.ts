import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { issueServingCertificate, createCA } from '@annex/auth';
import type { Client } from '@annex/client';
import { parseOptions } from '@annex/runtime';
import { type TempFolder, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';
import { upOptions } from './up-options.ts';

let folder: TempFolder;
let hook: Server;
let annex: RunningAnnex;
let admin: Client;
const requested: { spec: { user: string } }[] = [];
const events: { kind: string; items: { stage: string }[] }[] = [];

const path = (name: string) => join(folder.path, name);

/** Returns a kubeconfig of the webhooks, which are one server. */
function kubeconfig(at: string): string {
  const { port } = hook.address() as AddressInfo;
  writeFileSync(
    path(`${at}.yaml`),
    `clusters: [{name: c, cluster: {server: "https://127.0.0.1:${port}/${at}", certificate-authority: ca.pem}}]
contexts: [{name: x, context: {cluster: c}}]
current-context: x
`,
  );
  return path(`${at}.yaml`);
}

const configuration = (file: string) => `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- {type: RBAC, name: rbac}
- type: Webhook
  name: hook
  webhook:
    timeout: 3s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: ${file}}
    matchConditions: [{expression: "request.user != 'ignored'"}]
`;

beforeAll(async () => {
  folder = tempFolder();
  const ca = await createCA('ca');
  const names = { commonName: 'hook', subjectAltNames: ['127.0.0.1'] };
  writeFileSync(path('ca.pem'), ca.cert);
  hook = createServer(await issueServingCertificate(ca, names), (req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (part: string) => (text += part));
    req.on('end', () => {
      if (req.url?.startsWith('/audit')) {
        events.push(JSON.parse(text) as (typeof events)[0]);
        return res.end('{}');
      }
      const review = JSON.parse(text) as (typeof requested)[0];
      requested.push(review);
      const allowed = review.spec.user === 'jane';
      res
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ ...review, status: { allowed, reason: 'hook' } }));
    });
  });
  await once(hook.listen(0, '127.0.0.1'), 'listening');
  writeFileSync(path('authorization.yaml'), configuration(kubeconfig('authorize')));
  writeFileSync(
    path('policy.yaml'),
    '{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata, users: [admin]}]}',
  );
  const audit = [
    '--audit-policy-file',
    path('policy.yaml'),
    '--audit-webhook-config-file',
    kubeconfig('audit'),
  ];
  annex = await runAnnex(
    '--ephemeral',
    '--authorization-config',
    path('authorization.yaml'),
    ...audit,
    '--audit-webhook-batch-max-wait',
    '50ms',
  );
  admin = annex.admin;
});

afterAll(async () => {
  await annex.stop();
  hook.close();
  folder[Symbol.dispose]();
});

const as = async (user: string) =>
  (await admin.send({ path: '/api/v1/namespaces/default/configmaps', headers: { 'impersonate-user': user } }))
    .status;

it('calls the webhook of a configuration if RBAC does not allow a request', async () => {
  expect([await as('jane'), await as('joe'), await as('ignored')]).toEqual([200, 403, 403]);
  const users = requested.map(({ spec }) => spec.user);
  expect([users.includes('jane'), users.includes('joe'), users.includes('ignored')]).toEqual([
    true,
    true,
    false,
  ]);
});

it('sends audit events to a webhook, in lists', async () => {
  await admin.send({ path: '/version' });
  await expect.poll(() => events.flatMap(({ items }) => items).length).toBeGreaterThan(1);
  expect(events[0]).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1' });
});

it('does not start with an invalid configuration', async () => {
  writeFileSync(path('wrong.yaml'), configuration('relative'));
  const options = ['--ephemeral', '--authorization-config', path('wrong.yaml')];
  await expect(runAnnex(...options)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: expect.stringContaining(
      'kubeConfigFile: Invalid value: "relative": must be an absolute path',
    ) as string,
  });
});

it.each([
  [['--authorization-mode', 'Foo'], 'authorization-mode "Foo" is not a valid mode'],
  [
    ['--authorization-mode', 'RBAC,RBAC'],
    'authorization-mode ["RBAC" "RBAC"] has mode specified more than once',
  ],
  [['--authorization-mode', 'Webhook'], "authorization-mode Webhook's authorization config file not passed"],
  [
    ['--authorization-webhook-config-file', '/x'],
    'cannot specify --authorization-webhook-config-file without mode Webhook',
  ],
  [
    ['--authorization-mode', 'RBAC', '--authorization-config', '/x'],
    '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
  ],
])('%j contradict each other', async (argv, why) => {
  const { upConflicts } = await import('./up-options.ts');
  const parsed = parseOptions(upOptions, argv, {}, upConflicts);
  expect(parsed).toMatchObject({ kind: 'errors', errors: [{ message: why }] });
});
