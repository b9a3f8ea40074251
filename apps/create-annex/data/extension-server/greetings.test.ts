import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startAnnex, type TestAnnex } from '@annex/testing';
import { greetings, group } from './greetings.ts';

let annex: TestAnnex;
before(async () => {
  annex = await startAnnex();
  await annex.serve({ group, resources: [greetings] });
});
after(() => annex.stop());

test('a greeting gets its text', async () => {
  const client = annex.admin.resource(group, greetings, 'default');
  const created = await client.create({ metadata: { name: 'moon' }, spec: { name: 'Moon' } });
  assert.equal(created.status?.text, 'Hello, Moon!');
});

test('the name of a greeting cannot be changed', async () => {
  const client = annex.admin.resource(group, greetings, 'default');
  await client.create({ metadata: { name: 'sun' }, spec: { name: 'Sun' } });
  await assert.rejects(client.patch('sun', { spec: { name: 'Star' } }), /the name cannot be changed/);
});

test('users without a role cannot list greetings', async () => {
  const jane = await annex.as({ user: 'jane' });
  const client = jane.resource(group, greetings, 'default');
  await assert.rejects(client.list(), /User "jane" cannot list resource "greetings"/);
});
