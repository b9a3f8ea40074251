import { fixedText, nullLogger, systemClock } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import { holdTimeouts, startSilentServer } from '@annex/testkit';
import { expect, it } from 'vitest';
import { peerTraceTimeoutMs, remoteApps } from './remote-apps.ts';

it('traces that the apps do not send within peerTraceTimeoutMs are absent', async () => {
  using timeouts = holdTimeouts();
  await using silent = await startSilentServer();
  const { url } = silent;
  const client = { current: () => undefined, onChange: () => undefined };
  const certificates = { ca: fixedText(silent.ca), client: client as never };
  const apps = remoteApps(
    { coreApiUrl: url, crdRegistryUrl: url, authorizationUrl: url, discoveryUrl: url },
    certificates,
    { clock: systemClock, log: nullLogger } as ServerDeps,
  );
  const arrived = silent.requested();
  const traces = apps.traces('');
  await arrived;
  expect(timeouts.expire(peerTraceTimeoutMs)).toBe(4);
  expect(await traces).toEqual([]);
  await apps.part.stop?.();
});
