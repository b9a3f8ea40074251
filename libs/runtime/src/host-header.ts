import type { IncomingMessage } from 'node:http';

/** The characters of a Host header. Source: Go's `httpguts.ValidHostHeader`. */
const hostCharacters = new Set(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!$%&'()*+,-.:;=[]_~",
);

/** Whether Go's net/http accepts a Host header. */
export const isHostHeader = (host: string): boolean =>
  Array.from(host).every((character) => hostCharacters.has(character));

/** Returns the status with which Go's net/http refuses the Host headers of a request; Node accepts more. */
export function hostProblem({ httpVersion, method, rawHeaders }: IncomingMessage): string | undefined {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host');
  const [host] = hosts;
  if (hosts.length > 1) return '400 Bad Request';
  if (host === undefined)
    return httpVersion === '1.1' && method !== 'CONNECT'
      ? '400 Bad Request: missing required Host header'
      : undefined;
  return isHostHeader(host) ? undefined : '400 Bad Request: malformed Host header';
}
