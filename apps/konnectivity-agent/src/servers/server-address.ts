import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { maxServers } from '../limits.ts';

/** One address of a server, and the name in its certificate. */
export interface ServerAddress {
  /** An IP address. */
  host: string;
  port: number;
  name: string;
}

/** Returns the addresses of all hosts. Names that cannot be resolved at the moment are left out. */
export async function serverAddresses(hosts: readonly string[], port: number): Promise<ServerAddress[]> {
  const found = await Promise.all(
    hosts.map(async (name) => {
      if (isIP(name) !== 0) return [{ host: name, port, name }];
      const addresses = await lookup(name, { all: true }).catch(() => []);
      return addresses.map(({ address }) => ({ host: address, port, name }));
    }),
  );
  return found.flat().slice(0, maxServers);
}
