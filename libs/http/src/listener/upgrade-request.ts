import type { IncomingMessage } from 'node:http';

/** The protocol to which a client asks to change its connection; HTTP/2 has no such request. */
export function requestedUpgrade({ headers, httpVersionMajor }: IncomingMessage): string | undefined {
  const { connection, upgrade } = headers;
  if (upgrade === undefined || connection === undefined || httpVersionMajor !== 1) return undefined;
  const names = connection.toLowerCase().split(',');
  return names.some((name) => name.trim() === 'upgrade') ? upgrade : undefined;
}
