/** Headers of a single connection (RFC 9110 section 7.6.1), and those that Go's ReverseProxy also removes. */
export const hopByHopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);
