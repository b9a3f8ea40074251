import { hostOf } from '@annex/runtime';

/** The address of a backend. */
export interface Endpoint {
  host: string;
  port: number;
}

/** Formats `host:port`, with brackets around an IPv6 address. */
export const hostPort = ({ host, port }: Endpoint): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** Returns the address of a URL; the default port is 443. */
export function endpointOf(url: string): Endpoint {
  const parsed = new URL(url);
  return { host: hostOf(parsed), port: Number(parsed.port || 443) };
}
