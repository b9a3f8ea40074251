import { Buffer } from 'node:buffer';

/** Returns an HPACK block (RFC 7541) of literals without indexing: it needs no state of the connection. */
export function encodeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(headers).map(([name, value]) =>
      Buffer.concat([Buffer.of(0), encodeText(name), encodeText(value)]),
    ),
  );
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([encodeLength(bytes.length), bytes]);
}

/** An integer with a prefix of seven bits, section 5.1. */
function encodeLength(length: number): Buffer {
  if (length < 127) return Buffer.of(length);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

/** The entries 8 to 14 of the static table, appendix A. */
const indexedStatus = [200, 204, 206, 304, 400, 404, 500];

/** Returns the status at the start of a block of a server that has no dynamic table; 0 if it is in no known form. */
export function readStatus(block: Buffer): number {
  let at = 0;
  // An update of the size of the dynamic table, section 6.3.
  while (((block[at] ?? 0) & 0xe0) === 0x20) at++;
  const first = block[at] ?? 0;
  if (first >= 0x88 && first <= 0x8e) return indexedStatus[first - 0x88] ?? 0;
  const name = first & 0x40 ? first & 0x3f : first & 0x0f;
  if (name < 8 || name > 14) return 0;
  const length = block[at + 1] ?? 0;
  const text = block.subarray(at + 2, at + 2 + (length & 0x7f));
  return Number(length & 0x80 ? huffmanDigits(text) : text.toString('latin1'));
}

/** Decodes digits by the codes of appendix B: 0 to 2 have five bits, 3 to 9 have six. */
function huffmanDigits(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let digits = '';
  for (let at = 0; digits.length < 3;) {
    const five = Number.parseInt(bits.slice(at, at + 5), 2);
    const isShort = five <= 2;
    digits += isShort ? five : Number.parseInt(bits.slice(at, at + 6), 2) - 0b011001 + 3;
    at += isShort ? 5 : 6;
  }
  return digits;
}
