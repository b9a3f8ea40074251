/** Where a backend listens. */
export interface Endpoint {
  host: string;
  port: number;
}

/** `host:port`, with brackets around an IPv6 address. */
export const hostPort = ({ host, port }: Endpoint): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

/** Where a URL leads; without a port to 443. */
export function endpointOf(url: string): Endpoint {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) };
}
