import { expect, it } from 'vitest';
import { startProcesses } from '../runners/compose-runner.ts';
import { runCommand } from './command.ts';

const player = new URL('../../../conformance/src/main.ts', import.meta.url).pathname;

// What crosses processes: bodies, streams and lists, identities, what extends the API, discovery. What one app decides alone (schemas,
// CEL, field managers, the rules of kinds) is played on the single process, as the kubectl sessions are.
const crossing = [
  'machinery/(apply-cm|apply-identity|bodies|crud|delet|dry-run|finalizers|list|namespaces|quota|read|table|watch)',
  'auth-aggregation/(?!.*(-validation|-refused|-forms|-more|-fields|-managed|certificate-request))',
  'crd-life/',
  'crd-versions/',
  'crd-schema/(discovery|openapi|partial|table)',
];

// The recorded server ran without controllers, and so do the processes here.
it('separate processes answer the recordings as the list says', { timeout: 600_000 }, async () => {
  await using annex = await startProcesses();
  const target = ['--server', annex.url, '--pki', annex.pki, '--kubeconfig', annex.kubeconfig];
  const chosen = [
    '--section',
    'separate-processes',
    '--kubectl',
    'newest',
    '--only',
    `^(${crossing.join('|')})`,
  ];
  const { code, text } = await runCommand(process.execPath, [player, ...target, ...chosen], {
    env: process.env,
    timeout: 590_000,
  });
  expect(code, text).toBe(0);
  expect(text).toMatch(/^\d+ passed, 0 failed$/m);
});
