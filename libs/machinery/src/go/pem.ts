import { trimRight } from './trim.ts';

/** A block of a PEM text. */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`. */
  type: string;
  /** True if headers such as `Proc-Type: 4,ENCRYPTED` precede the content. */
  hasHeaders: boolean;
  /** The decoded content. */
  bytes: Buffer;
  /** The text of the block, from its first dash to its last. */
  text: string;
}

/**
 * Characters of a PEM text. It exceeds the size of a request (3 MiB), so only files of the operator can reach
 * it; all CAs of an operating system use a sixth.
 */
export const maxPemLength = 4 * 1024 * 1024;

const begin = '-----BEGIN ';
const end = '\n-----END ';
const dashes = '-----';

/**
 * Finds the blocks of a PEM text in order, like Go's `encoding/pem`; text between them is ignored. Scans each
 * part of the text once. Throws if the text is longer than {@link maxPemLength}.
 */
export function readPem(text: string): PemBlock[] {
  if (text.length > maxPemLength) throw new Error(`PEM text of more than ${maxPemLength} characters`);
  const blocks: PemBlock[] = [];
  let from = 0;
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, from)) {
    // Of several BEGIN lines before an END line, only the last one may belong to it.
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

/** Parses the text from a BEGIN line to its END line; `undefined` if the two do not match. */
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
