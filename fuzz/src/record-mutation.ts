import type { RecordFormat } from '@annex/testkit';
import { formats, type RecordNode } from './record-formats.ts';
import type { Random } from './random.ts';

type ByteMutation = (input: Uint8Array) => Uint8Array;

/** What a mutation works with. */
interface RecordSite {
  record: RecordNode;
  /** The list that contains the record. */
  siblings: RecordNode[];
  /** A record of this input or another one. */
  other: RecordNode;
  random: Random;
  mutateBytes: ByteMutation;
}

const maxDepth = 64;

const mutations: readonly ((site: RecordSite) => void)[] = [
  ({ siblings, record }) => void siblings.splice(siblings.indexOf(record), 1),
  ({ siblings, record, random }) =>
    void siblings.splice(
      siblings.indexOf(record),
      0,
      ...Array.from({ length: 1 << random.below(5) }, () => copyOf(record)),
    ),
  ({ siblings, record, other }) => void siblings.splice(siblings.indexOf(record), 1, copyOf(other)),
  ({ siblings, record, other }) => void siblings.splice(siblings.indexOf(record), 0, copyOf(other)),
  ({ siblings, random }) => {
    const [a, b] = [random.below(siblings.length), random.below(siblings.length)];
    [siblings[a], siblings[b]] = [siblings[b] as RecordNode, siblings[a] as RecordNode];
  },
  ({ record, other }) => void (record.head = other.head),
  ({ record, mutateBytes }) => void (record.head = mutateBytes(record.head)),
  ({ record, mutateBytes }) => {
    record.content = mutateBytes(record.content);
    record.children = undefined;
  },
  ({ record, other }) => {
    record.content = other.content;
    record.children = other.children?.map(copyOf);
  },
  ({ record, random }) => {
    for (let depth = random.below(maxDepth); depth > 0; depth--) {
      const inner = copyOf(record);
      record.children = [inner];
    }
  },
  ({ record, random }) => void (record.lengthError = random.below(9) - 4),
];

/** Changes a record of the input, and keeps the lengths of those around it right. `undefined` if the input has no records. */
export function mutatedRecords(
  input: Uint8Array,
  { format, skip = 0 }: RecordFormat,
  random: Random,
  corpus: readonly Uint8Array[],
  mutateBytes: ByteMutation,
): Uint8Array | undefined {
  const { read, write } = formats[format];
  const roots = read(input.subarray(skip));
  if (roots === undefined || roots.length === 0) return undefined;
  const lists = [roots];
  for (const list of lists) for (const { children } of list) if (children?.length) lists.push(children);
  const source = random.below(2) === 0 ? input : random.of(corpus);
  const siblings = random.of(lists);
  const record = random.of(siblings);
  const others = flattened(read(source.subarray(skip)) ?? []);
  random.of(mutations)({
    siblings,
    record,
    other: others.length === 0 ? record : random.of(others),
    random,
    mutateBytes,
  });
  return new Uint8Array(Buffer.concat([input.subarray(0, skip), ...roots.map(write)]));
}

const copyOf = (record: RecordNode): RecordNode => ({
  ...record,
  children: record.children?.map(copyOf),
});

const flattened = (records: readonly RecordNode[]): RecordNode[] =>
  records.flatMap((record) => [record, ...flattened(record.children ?? [])]);
