/** A host and a port; the host has no brackets. */
export interface HostAndPort {
  readonly host: string;
  readonly port: string;
}

/** Splits `host:port`, `host%zone:port` or `[host]:port`, as Go's `net.SplitHostPort`. Returns `undefined` where Go has an error. */
export function splitHostPort(text: string): HostAndPort | undefined {
  const colon = text.lastIndexOf(':');
  if (colon < 0) return undefined;
  const port = text.slice(colon + 1);
  const isBracketed = text.startsWith('[');
  if (isBracketed && text.indexOf(']') !== colon - 1) return undefined;
  const host = isBracketed ? text.slice(1, colon - 1) : text.slice(0, colon);
  const isOne = isBracketed ? !host.includes('[') : !/[:[\]]/.test(host);
  return isOne && !/[[\]]/.test(port) ? { host, port } : undefined;
}
