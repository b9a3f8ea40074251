import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type KubeObject, startAnnex, type TestAnnex } from '@annex/testing';

interface Backup extends KubeObject {
  spec: { schedule: string; keep?: number; keepMax?: number };
}

const address = { apiVersion: 'example.com/v1', kind: 'Backup', resource: 'backups', namespace: 'default' };

let annex: TestAnnex;
before(async () => {
  annex = await startAnnex();
  await annex.admin.apply(readFileSync(new URL('crd.yaml', import.meta.url), 'utf8'));
});
after(() => annex.stop());

test('a backup is kept seven times by default', async () => {
  const backups = annex.admin.resource<Backup>(address);
  const { spec } = await backups.create({ metadata: { name: 'daily' }, spec: { schedule: '0 3 * * *' } });
  assert.equal(spec.keep, 7);
});

test('a backup without a schedule is invalid', async () => {
  const backups = annex.admin.resource<KubeObject>(address);
  const invalid = { metadata: { name: 'never' }, spec: {} };
  await assert.rejects(backups.create(invalid), /spec\.schedule: Required value/);
});

test('keep must not exceed keepMax', async () => {
  const backups = annex.admin.resource<Backup>(address);
  const invalid = { metadata: { name: 'many' }, spec: { schedule: '0 3 * * *', keep: 9, keepMax: 5 } };
  await assert.rejects(backups.create(invalid), /keep must not exceed keepMax/);
});

test('users without a role cannot list backups', async () => {
  const jane = await annex.as({ user: 'jane' });
  await assert.rejects(jane.resource(address).list(), /User "jane" cannot list resource "backups"/);
});
