import type { HttpRequest } from './http-message.ts';

/** Returns the protocol that a client requests by `Upgrade`; HTTP/2 has no such request. */
export function requestedUpgrade({ headers, httpVersionMajor }: HttpRequest): string | undefined {
  const { connection, upgrade } = headers;
  if (upgrade === undefined || connection === undefined || httpVersionMajor !== 1) return undefined;
  const names = connection.toLowerCase().split(',');
  return names.some((name) => name.trim() === 'upgrade') ? upgrade : undefined;
}
