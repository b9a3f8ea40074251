import { isIPv6 } from 'node:net';
import type { KubeObject } from '@annex/machinery';
import { listAt, someOf } from '../../shared/cells.ts';

const hostPort = (ip: unknown, port: unknown) =>
  `${isIPv6(String(ip)) ? `[${String(ip)}]` : String(ip)}:${String(port)}`;

/** Returns the first addresses with their ports. */
export function endpointsCell(object: KubeObject): string {
  const list = listAt(object, 'subsets').flatMap((subset) => {
    const ips = listAt(subset, 'addresses').map((address) => address.ip);
    const ports = listAt(subset, 'ports');
    return ports.length === 0
      ? ips.map(String)
      : ports.flatMap((port) => ips.map((ip) => hostPort(ip, port.port)));
  });
  return listAt(object, 'subsets').length === 0 ? '<none>' : someOf(list, 3, '');
}
