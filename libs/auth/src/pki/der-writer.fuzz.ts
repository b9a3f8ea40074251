import { type FuzzTarget, orError } from '@annex/testkit';
import { type DerElement, derChildren, derElements } from '../authn/der.ts';
import {
  bitString,
  der,
  integer,
  objectId,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der-writer.ts';

/** Writes the elements again, those inside of constructed elements too. */
const written = (elements: readonly DerElement[]): Buffer =>
  Buffer.concat(elements.map(({ content, tag }) => der(tag, isConstructed(tag) ? inner(content) : content)));

const isConstructed = (tag: number): boolean => (tag & 0x20) !== 0;

function inner(content: Buffer): Buffer {
  const elements = orError(() => derElements(content), [RangeError]);
  return elements instanceof Error ? content : written(elements);
}

const requireSame = (what: string, one: Buffer, other: Buffer): void => {
  if (!one.equals(other))
    throw new Error(`${what}: ${one.toString('hex')} is read as ${other.toString('hex')}`);
};

/** The number of an object identifier that is written in seven bits a byte. */
function dotted(content: Buffer): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 0x80 + (byte & 0x7f);
    if (byte < 0x80) numbers.push(value);
    if (byte < 0x80) value = 0;
  }
  const [first = 0, ...rest] = numbers;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - 40 * root, ...rest].join('.');
}

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'der-writer',
    records: { format: 'der' },
    seeds: [
      Buffer.from('30160603551d1e040f300da00b300982076578616d706c65', 'hex'),
      Buffer.from('3011310f300d06035504030c066120c3a92062', 'hex'),
      Buffer.from(`0382010000${'a5'.repeat(255)}`, 'hex'),
      Buffer.from('02080123456789abcdef', 'hex'),
    ],
    maxBytes: 1024,
    // A certificate of more bytes is not written.
    maxGrownBytes: 16_384,
    run(input) {
      const bytes = Buffer.from(input);
      const elements = orError(() => derElements(bytes), [RangeError]);
      if (!(elements instanceof Error)) {
        const once = written(elements);
        requireSame('elements', once, written(derElements(once)));
      }
      for (const write of [octetString, integer, bitString, sequence, set]) {
        const [element] = derElements(write(bytes));
        const content = write === bitString ? element?.content.subarray(1) : element?.content;
        requireSame(write.name, bytes, content ?? Buffer.alloc(0));
      }
      const text = bytes.toString();
      requireSame('text', Buffer.from(text), derElements(utf8String(text))[0]?.content ?? Buffer.alloc(0));
      const numbers = [bytes.length % 3, bytes[0] ?? 0, bytes.length, ...bytes.subarray(0, 6)].map(
        (number, i) => (i === 1 && bytes.length % 3 < 2 ? number % 40 : number * (i > 1 ? 65_537 : 1)),
      );
      const id = numbers.join('.');
      const read = dotted(derElements(objectId(id))[0]?.content ?? Buffer.alloc(0));
      if (read !== id) throw new Error(`the identifier ${id} is read as ${read}`);
      if (derChildren(sequence(octetString(bytes), time(bytes.length * 1e10))).length !== 2)
        throw new Error('a sequence of two elements has another number');
    },
  },
];
