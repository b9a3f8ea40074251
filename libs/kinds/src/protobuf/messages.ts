import { readFileSync } from 'node:fs';
import { parseGroupVersion, tableOf } from '@annex/machinery';
import { lazily } from '@annex/machinery';

/** One field of a message, on the wire and in JSON. */
export interface MessageField {
  /** The name in JSON. */
  json: string;
  number: number;
  /** A scalar of protobuf, or the name of a message. */
  type: string;
  repeated: boolean;
  /** A map from strings to the type. */
  map: boolean;
  /** A pointer in Go: absent differs from zero. */
  pointer: boolean;
  /** Go omits the empty value in JSON. A struct is never empty. */
  omitEmpty: boolean;
  /** Zero is omitted in JSON. */
  omitZero: boolean;
  /** An empty list or an absent pointer is null in JSON. */
  nullWhenEmpty: boolean;
  /** The fields of the inner message are members of the outer JSON object. */
  inline: boolean;
  /** Go writes it even if it is zero. */
  always: boolean;
}

export interface Message {
  /** In the order of their numbers, as on the wire. */
  fields: readonly MessageField[];
  /** In Go's declaration order, as in JSON. */
  declared: readonly MessageField[];
  byNumber: ReadonlyMap<number, MessageField>;
}

interface RecordedMessages {
  packages: Record<string, string>;
  messages: Record<string, [string, number, string, string][] | string>;
}

const metaPackage = 'k8s.io.apimachinery.pkg.apis.meta.v1';

const recorded = lazily(
  () =>
    JSON.parse(
      readFileSync(new URL('../../data/protobuf.json', import.meta.url), 'utf8'),
    ) as RecordedMessages,
);

const recordedMessages = lazily(() => tableOf(recorded().messages));

const messages = new Map<string, Message>();

/** Returns the message of that name. Throws if there is none. */
export function messageOf(name: string): Message {
  let message = messages.get(name);
  if (message === undefined) {
    message = buildMessage(recordedMessages().get(name));
    messages.set(name, message);
  }
  return message;
}

function buildMessage(entry: [string, number, string, string][] | string | undefined): Message {
  if (entry === undefined) throw new Error('no such message');
  const list = typeof entry === 'string' ? [['items', 1, entry.slice(0, -2), 'r'] as const] : entry;
  const fields = list.map(([json, number, type, flags]): MessageField => ({
    json,
    number,
    type,
    repeated: flags.includes('r'),
    map: flags.includes('m'),
    pointer: flags.includes('p'),
    omitEmpty: flags.includes('o'),
    omitZero: flags.includes('o') && !flags.includes('p'),
    nullWhenEmpty: flags === 'r' || flags === 'p',
    inline: flags.includes('i'),
    always: !/[prm]/.test(flags) && type !== 'bytes' && !isListMessage(type),
  }));
  const declared = [...fields];
  // Go writes fields in the order of their numbers.
  fields.sort((a, b) => a.number - b.number);
  return { fields, declared, byNumber: new Map(fields.map((field) => [field.number, field])) };
}

const byJson = new Map<string, ReadonlyMap<string, MessageField>>();

/** Returns the fields of a message by JSON name, including those of inlined messages, in Go's order. */
export function jsonFields(name: string): ReadonlyMap<string, MessageField> {
  let fields = byJson.get(name);
  if (fields === undefined) {
    fields = new Map(
      messageOf(name).declared.flatMap((field) =>
        field.inline ? [...jsonFields(field.type)] : [[field.json, field] as const],
      ),
    );
    byJson.set(name, fields);
  }
  return fields;
}

/** Returns whether JSON has a bare list where the wire has a wrapper message. */
export const isListMessage = (name: string): boolean => typeof recordedMessages().get(name) === 'string';

/** Returns the message name of a kind; `undefined` for kinds without a protobuf form. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  const { group, version } = parseGroupVersion(apiVersion);
  const { packages } = recorded();
  // Options and Status are kinds of every group-version.
  const names = [packages[`${group}/${version}`], metaPackage].map((name) => `${name}.${kind}`);
  return names.find((name) => Array.isArray(recordedMessages().get(name)));
}
