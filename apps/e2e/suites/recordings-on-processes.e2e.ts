import { expect, it } from 'vitest';
import { startAnnex } from '../runners/start-annex.ts';
import { runCommand } from './command.ts';

const player = new URL('../../../conformance/src/main.ts', import.meta.url).pathname;

// Areas that involve several processes: bodies, streams and lists, identities, extensions of the API, discovery. Areas that one app implements
// (schemas, CEL, field managers, the rules of kinds and of deletion, what RBAC allows, scales) are played on the single process, like the
// kubectl sessions.
const crossing = [
  'machinery/(apply-cm|apply-identity|bodies|crud|delete-options|dry-run|finalizers|list|namespaces|quota|read-(paths|yaml)|table|watch)',
  'auth-aggregation/(?!access-reviews|rbac-matrix|vap-expressions|map-reinvocation|.*(-validation|-refused|-forms|-more|-fields|-managed|certificate-request))',
  'crd-life/',
  'crd-versions/(?!scale-corners)',
  'crd-schema/(discovery|openapi|partial|table)',
];

// The recorded server ran without controllers, and so do the processes here.
it('separate processes pass the recordings, except for the listed ones', { timeout: 600_000 }, async () => {
  await using annex = await startAnnex();
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
