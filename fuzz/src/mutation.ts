import type { RecordFormat } from '@annex/testkit';
import { looksLikeJson, mutatedJson } from './json-mutation.ts';
import { mutatedRecords } from './record-mutation.ts';
import type { Random } from './random.ts';

/** The sources of mutations. */
export interface Material {
  corpus: readonly Uint8Array[];
  words: readonly Uint8Array[];
  maxBytes: number;
  /** Set if inputs consist of records. */
  records?: RecordFormat | undefined;
}

type Mutation = (input: Uint8Array, random: Random, material: Material) => Uint8Array;

/** Bytes that separate, quote, nest, or are boundaries of encodings. */
const notableBytes = Buffer.from(
  '\0\t\n\r "#$%&\'()*+,-./0179:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\xbf\xc0\xc2\xe0\xed\xf0\xf4\xff',
  'latin1',
);
const notableTexts = ['-1', '0', '1e9', '9007199254740993', '18446744073709551616', '1e400', '0x', '%00', '\u2028', '\ud83d\ude00', '__proto__', 'constructor', 'null'].map((text) => Buffer.from(text)); // prettier-ignore

/** Returns a random part of the input, as start and end. */
function part(input: Uint8Array, random: Random): [number, number] {
  const start = random.below(input.length + 1);
  const longest = Math.min(input.length - start, random.below(4) === 0 ? input.length : 16);
  return [start, start + random.below(longest + 1)];
}

const spliced = (input: Uint8Array, start: number, end: number, middle: Uint8Array): Uint8Array => {
  const result = new Uint8Array(input.length - (end - start) + middle.length);
  result.set(input.subarray(0, start));
  result.set(middle, start);
  result.set(input.subarray(end), start + middle.length);
  return result;
};

const copied = (input: Uint8Array, change: (copy: Uint8Array) => void): Uint8Array => {
  if (input.length === 0) return input;
  // The slice of a Buffer is not a copy.
  const copy = new Uint8Array(input);
  change(copy);
  return copy;
};

const inserted = (input: Uint8Array, random: Random, bytes: Uint8Array): Uint8Array => {
  const at = random.below(input.length + 1);
  const replaced = random.below(3) === 0 ? Math.min(bytes.length, input.length - at) : 0;
  return spliced(input, at, at + replaced, bytes);
};

const repeated = (input: Uint8Array, random: Random, times: number): Uint8Array => {
  const [start, end] = part(input, random);
  const unit = input.subarray(start, end);
  const middle = new Uint8Array(unit.length * times);
  for (let i = 0; i < times; i++) middle.set(unit, i * unit.length);
  return spliced(input, start, end, middle);
};

const mutations: readonly Mutation[] = [
  (input, random) => copied(input, (copy) => (copy[random.below(copy.length)]! ^= 1 << random.below(8))),
  (input, random) => copied(input, (copy) => (copy[random.below(copy.length)] = random.of(notableBytes))),
  (input, random) => copied(input, (copy) => (copy[random.below(copy.length)] = random.below(256))),
  (input, random) => copied(input, (copy) => (copy[random.below(copy.length)]! += random.below(9) - 4)),
  (input, random) => inserted(input, random, Uint8Array.of(random.of(notableBytes))),
  (input, random) => inserted(input, random, random.of(notableTexts)),
  (input, random, { words }) => (words.length === 0 ? input : inserted(input, random, random.of(words))),
  (input, random, { words }) => (words.length === 0 ? input : inserted(input, random, random.of(words))),
  (input, random) => spliced(input, ...part(input, random), new Uint8Array()),
  (input, random) => spliced(input, ...part(input, random), new Uint8Array()),
  (input, random) => repeated(input, random, 2 + random.below(4)),
  (input, random) => repeated(input, random, random.below(16) === 0 ? 1 << random.below(9) : 2),
  (input, random) => inserted(input, random, input.subarray(...part(input, random))),
  (input, random, { corpus }) => {
    const other = random.of(corpus);
    return inserted(input, random, other.subarray(...part(other, random)));
  },
  (input, random, { corpus }) => {
    const other = random.of(corpus);
    return spliced(input, random.below(input.length + 1), input.length, other.subarray(random.below(other.length + 1))); // prettier-ignore
  },
];

/** Returns a mutation of an input. */
export function mutated(base: Uint8Array, random: Random, material: Material): Uint8Array {
  let input = base;
  const keepsStructure = random.below(4) > 0;
  const mutate = keepsStructure ? structured(base, random, material) : plain(random, material);
  for (let left = 1 << random.below(4); left > 0; left--) input = mutate(input);
  return input.length > material.maxBytes ? input.subarray(0, material.maxBytes) : input;
}

const plain =
  (random: Random, material: Material) =>
  (input: Uint8Array): Uint8Array =>
    random.of(mutations)(input, random, material);

/** The mutation that keeps the structure of inputs like this one. */
function structured(base: Uint8Array, random: Random, material: Material): (input: Uint8Array) => Uint8Array {
  const { corpus, words, records } = material;
  const mutateBytes = plain(random, material);
  if (records !== undefined) {
    return (input) => mutatedRecords(input, records, random, corpus, mutateBytes) ?? mutateBytes(input);
  }
  return looksLikeJson(base) ? (input) => mutatedJson(input, random, corpus, words) : mutateBytes;
}
