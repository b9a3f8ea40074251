import { createCA } from '@annex/auth';
import { fixedText, parseOptions } from '@annex/runtime';
import { expect, it } from 'vitest';
import { refuseProxiesOfClients, requestHeaderOptions } from './request-header-options.ts';

const config = (...argv: string[]) => {
  const parsed = parseOptions(requestHeaderOptions, argv, {});
  if (parsed.kind !== 'config') throw new Error(JSON.stringify(parsed));
  return parsed.config;
};

it('AGG-037 AGG-038 a common CA for clients and proxies requires the names of the proxies', async () => {
  const [ca, other] = await Promise.all([createCA('ca'), createCA('other')]);
  const clientCa = fixedText(ca.cert);
  const overlapping = fixedText(`${other.cert}\n${ca.cert}`);
  const anyName = config('--requestheader-allowed-names=');
  const refused = () => refuseProxiesOfClients(anyName, { clientCa, requestheaderCa: overlapping });
  expect(refused).toThrow('--requestheader-allowed-names must be specified');
  refuseProxiesOfClients(config(), { clientCa, requestheaderCa: overlapping });
  refuseProxiesOfClients(anyName, { clientCa, requestheaderCa: fixedText(other.cert) });
  refuseProxiesOfClients(anyName, { clientCa: undefined, requestheaderCa: overlapping });
});
