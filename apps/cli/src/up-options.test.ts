import { parseOptions } from '@annex/runtime';
import { chooseHostAddress } from '@annex/process';
import { expect, it, vi } from 'vitest';
import { runAnnex } from './running-annex.fixture.ts';
import { upConflicts, upOptions } from './up-options.ts';

it('advertises the address of --advertise-address', async () => {
  const annex = await runAnnex('--ephemeral', '--advertise-address', '127.0.0.2');
  const endpoints = await annex.admin.json({ path: '/api/v1/namespaces/default/endpoints/kubernetes' });
  expect(endpoints).toMatchObject({ subsets: [{ addresses: [{ ip: '127.0.0.2' }] }] });
  const { port } = new URL(annex.url);
  expect(await annex.admin.json({ path: '/api' })).toMatchObject({
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: `127.0.0.2:${port}` }],
  });
  await annex.stop();
});

/** Undefined on a machine without a network. */
const hostAddress = (() => {
  try {
    return chooseHostAddress('0.0.0.0');
  } catch {
    return undefined;
  }
})();

it.runIf(hostAddress)('advertises the address of the machine if it listens on all addresses', async () => {
  const annex = await runAnnex('--ephemeral', '--bind-address', '0.0.0.0');
  const endpoints = await annex.admin.json({ path: '/api/v1/namespaces/default/endpoints/kubernetes' });
  expect(endpoints).toMatchObject({ subsets: [{ addresses: [{ ip: hostAddress }] }] });
  await annex.stop();
});

it('keeps events for the time of --event-ttl', async () => {
  const annex = await runAnnex('--ephemeral', '--event-ttl', '1s');
  const path = '/api/v1/namespaces/default/events';
  const involvedObject = { kind: 'ConfigMap', name: 'a', namespace: 'default' };
  await annex.admin.json({ method: 'POST', path, body: { metadata: { name: 'short' }, involvedObject } });
  await vi.waitUntil(async () => (await annex.admin.send({ path: `${path}/short` })).status === 404, {
    timeout: 60_000,
  });
  await annex.stop();
});

it('rejects values that are not addresses', () => {
  const parsed = parseOptions(upOptions, ['--advertise-address', 'here'], {}, upConflicts);
  expect(parsed).toMatchObject({
    kind: 'errors',
    errors: [{ message: '--advertise-address: here is not an IP address' }],
  });
});
