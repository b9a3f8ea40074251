/** A header value as text: Node hands out its bytes as Latin-1, Kubernetes takes them for UTF-8. */
export function headerText(value: string): string {
  for (let i = 0; i < value.length; i++) {
    if (value.charCodeAt(i) > 0x7f) return Buffer.from(value, 'latin1').toString('utf8');
  }
  return value;
}

/** An extra key out of a header name: percent-decoded, or as it stands where the escapes are not valid. */
export function unescapeExtraKey(key: string): string {
  if (!key.includes('%')) return key;
  if (/%(?![0-9a-fA-F]{2})/.test(key)) return key;
  const bytes = key.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return headerText(bytes);
}
