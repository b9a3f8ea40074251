import { trimRight } from './trim.ts';

/** A block of a PEM text. */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`. */
  type: string;
  /** True where lines such as `Proc-Type: 4,ENCRYPTED` precede the content. */
  hasHeaders: boolean;
  /** The decoded content. */
  bytes: Buffer;
  /** The block as it stands in the text, from its first dash to its last. */
  text: string;
}

/**
 * The characters of the longest PEM text. Beyond what a request may hold (3 MiB), so that only files of the operator can
 * reach it; all certificate authorities of an operating system take a sixth.
 */
export const maxPemLength = 4 * 1024 * 1024;

const begin = '-----BEGIN ';
const end = '\n-----END ';
const dashes = '-----';

/**
 * The blocks of a PEM text in order, as Go's `encoding/pem` finds them; what stands between them does not matter. Each part of
 * the text is looked at once. Throws where the text is longer than {@link maxPemLength}.
 */
export function readPem(text: string): PemBlock[] {
  if (text.length > maxPemLength) throw new Error(`PEM text of more than ${maxPemLength} characters`);
  const blocks: PemBlock[] = [];
  let from = 0;
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, from)) {
    // Of the beginnings before an end, only the last one may belong to it.
    const part = text.slice(from, at + 1);
    const start = part.lastIndexOf(begin);
    from = at + end.length;
    if (start < 0 || (start > 0 && part[start - 1] !== '\n')) continue;
    const lineEnd = endOfLine(text, from);
    const block = readBlock(part.slice(start), trimRight(text.slice(at + 1, lineEnd), ' \t\r'));
    if (block === undefined) continue;
    blocks.push(block);
    from = lineEnd + 1;
  }
  return blocks;
}

const endOfLine = (text: string, at: number): number => {
  const found = text.indexOf('\n', at);
  return found < 0 ? text.length : found;
};

/** Reads what begins a block and ends before the line of its end; `undefined` where they do not belong together. */
function readBlock(part: string, endLine: string): PemBlock | undefined {
  const firstEnd = endOfLine(part, 0);
  const beginLine = trimRight(part.slice(0, firstEnd), ' \t\r');
  if (!beginLine.startsWith(begin) || !beginLine.endsWith(dashes)) return undefined;
  const type = beginLine.slice(begin.length, -dashes.length);
  if (endLine !== `-----END ${type}${dashes}`) return undefined;
  const lines = part.slice(firstEnd + 1).split('\n');
  const headers = lines.findIndex((line) => !line.includes(':'));
  // Headers are followed by an empty line or content.
  if (headers > 0 && headers === lines.length - 1) return undefined;
  const bytes = decode(lines.slice(headers).join(''));
  return bytes && { type, hasHeaders: headers > 0, bytes, text: `${part}${endLine}` };
}

function decode(lines: string): Buffer | undefined {
  const base64 = lines.replaceAll(/[ \t\r]/g, '');
  const isBase64 = base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64);
  return isBase64 ? Buffer.from(base64, 'base64') : undefined;
}
