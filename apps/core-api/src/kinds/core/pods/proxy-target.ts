import { BlockList, isIP } from 'node:net';
import { badRequest } from '@annex/machinery';
import { objectsOf } from '../../shared/checks.ts';
import { statusOf, type TargetCheck } from '../shared/proxy.ts';

const privateAddresses = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 32],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
] as const)
  privateAddresses.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  privateAddresses.addSubnet(address, prefix, 'ipv6');

/** Checks the address of a pod: it must not be a loopback or link-local address. */
export const checkPodAddress: TargetCheck = (_, pod) => {
  const { podIP } = statusOf(pod);
  const [first] = objectsOf(statusOf(pod).podIPs);
  const address = String(first?.ip ?? podIP ?? '');
  const family = isIP(address);
  if (family === 0 || privateAddresses.check(address, family === 4 ? 'ipv4' : 'ipv6'))
    throw badRequest('address not allowed');
};
