/** Where a backend listens. */
export interface Endpoint {
  host: string;
  port: number;
}

/** `host:port`, with brackets around an IPv6 address. */
export const hostPort = ({ host, port }: Endpoint): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
