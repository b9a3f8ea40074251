/** The header in which both sides of a stream announce the extensions of the protocol that they support. */
export const extensionsHeader = 'annex-tunnel-extensions';

/**
 * The extensions: `half-close` lets one direction of a connection end before the other, `window` limits what is on the way for
 * one connection. Upstream programs have neither, and ignore the header.
 */
export type Extension = 'half-close' | 'window';

/** Returns the value of the header. */
export const announceExtensions = (extensions: readonly Extension[]): Record<string, string> => ({
  [extensionsHeader]: extensions.join(','),
});

/** Reads the header of a peer. */
export function readExtensions(headers: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const value = headers[extensionsHeader];
  return new Set(typeof value === 'string' ? value.split(',').map((name) => name.trim()) : []);
}
