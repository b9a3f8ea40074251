/** Decodes a header value: Node returns its bytes as Latin-1, Kubernetes treats them as UTF-8. */
export function headerText(value: string): string {
  for (let i = 0; i < value.length; i++) {
    if (value.charCodeAt(i) > 0x7f) return Buffer.from(value, 'latin1').toString('utf8');
  }
  return value;
}

/** Percent-decodes an extra key of a header name; returns it unchanged if the escapes are invalid. */
export function unescapeExtraKey(key: string): string {
  if (!key.includes('%')) return key;
  if (/%(?![0-9a-fA-F]{2})/.test(key)) return key;
  const bytes = key.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return headerText(bytes);
}
