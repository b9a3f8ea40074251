/** One element of a DER structure. */
export interface DerElement {
  tag: number;
  /** The content without tag and length. */
  content: Buffer;
  /** The whole element, with tag and length. */
  bytes: Buffer;
}

/** Splits a buffer into its consecutive elements. Throws `RangeError` on bytes that are not DER. */
export function derElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes.readUInt8(at);
    const { length, start } = derLength(bytes, at + 1);
    const end = start + length;
    if (end > bytes.length) throw new RangeError('DER element exceeds its parent');
    elements.push({ tag, content: bytes.subarray(start, end), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return elements;
}

function derLength(bytes: Buffer, at: number): { length: number; start: number } {
  const first = bytes.readUInt8(at);
  if (first < 0x80) return { length: first, start: at + 1 };
  const octets = first & 0x7f;
  if (octets === 0 || octets > 4) throw new RangeError('DER length out of range');
  return { length: bytes.readUIntBE(at + 1, octets), start: at + 1 + octets };
}

/** Returns the children of the only element of a buffer. */
export function derChildren(bytes: Buffer): DerElement[] {
  const [whole] = derElements(bytes);
  return whole === undefined ? [] : derElements(whole.content);
}
