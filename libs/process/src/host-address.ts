import { getOwn } from '@annex/machinery';
import { readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

type Family = NetworkInterfaceInfo['family'];

/** The facts about the machine that determine its address. */
export interface Host {
  interfaces(): NodeJS.Dict<NetworkInterfaceInfo[]>;
  /** Returns the content of a file; `undefined` if it does not exist. */
  read(path: string): string | undefined;
}

const thisHost: Host = {
  interfaces: networkInterfaces,
  read(path) {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return undefined;
    }
  },
};

const routeFiles = { IPv4: '/proc/net/route', IPv6: '/proc/net/ipv6_route' } as const;

/** Returns whether an address stands for all addresses of the machine. */
export const isUnspecified = (address: string): boolean => /^(?:0\.0\.0\.0|0*:[0:]*)$/.test(address);

/**
 * Returns the address at which other machines reach this one, as kube-apiserver selects it for an unspecified
 * `--bind-address`: that of the interface of a default route. The family of the bind address comes first.
 * Throws if there is none.
 */
export function chooseHostAddress(bindAddress: string, host: Host = thisHost): string {
  const families: Family[] = isIPv6(bindAddress) ? ['IPv6', 'IPv4'] : ['IPv4', 'IPv6'];
  const interfaces = host.interfaces();
  if (host.read(routeFiles.IPv4) === undefined) {
    const outside = Object.values(interfaces).flatMap((all = []) => all.filter(({ internal }) => !internal));
    const found = families.map((family) => globalAddress(outside, family)).find(Boolean);
    if (found !== undefined) return found;
    throw new Error('no acceptable interface with global unicast address found on host');
  }
  const routes = { IPv4: defaultRoutes(host, 'IPv4'), IPv6: defaultRoutes(host, 'IPv6') };
  if (routes.IPv4.length + routes.IPv6.length === 0) {
    throw new Error(`no default routes found in "${routeFiles.IPv4}" or "${routeFiles.IPv6}"`);
  }
  for (const family of families) {
    for (const name of routes[family]) {
      // An interface may have only a link-local address; then the loopback interface has the machine's
      // address (RFC 5549).
      const found = globalAddress(getOwn(interfaces, name), family) ?? globalAddress(interfaces.lo, family);
      if (found !== undefined) return found;
    }
  }
  throw new Error('unable to select an IP from default routes.');
}

// Addresses that are not global unicast in Go: loopback, link-local, multicast and unspecified ones.
const notGlobal = new BlockList();
notGlobal.addSubnet('127.0.0.0', 8);
notGlobal.addSubnet('169.254.0.0', 16);
notGlobal.addSubnet('224.0.0.0', 4);
notGlobal.addAddress('0.0.0.0');
notGlobal.addAddress('255.255.255.255');
notGlobal.addAddress('::1', 'ipv6');
notGlobal.addAddress('::', 'ipv6');
notGlobal.addSubnet('fe80::', 10, 'ipv6');
notGlobal.addSubnet('ff00::', 8, 'ipv6');

const globalAddress = (addresses: readonly NetworkInterfaceInfo[] = [], family: Family): string | undefined =>
  addresses.find(
    (one) => one.family === family && !notGlobal.check(one.address, family === 'IPv4' ? 'ipv4' : 'ipv6'),
  )?.address;

/** Returns the interfaces of the default routes. */
function defaultRoutes(host: Host, family: Family): string[] {
  const lines = (host.read(routeFiles[family]) ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  const nowhere = (address: string | undefined) => /^0+$/.test(address ?? '');
  return family === 'IPv4'
    ? lines.filter((f) => nowhere(f[1])).map((f) => f[0] as string)
    : lines.filter((f) => nowhere(f[0]) && /[1-9a-f]/i.test(f[4] ?? '') && f[9]).map((f) => f[9] as string);
}
