import { readFileSync } from 'node:fs';
import { parseGroupVersion, tableOf } from '@annex/machinery';
import { lazily } from '../builtin/data.ts';

/** One field of a message: how it stands on the wire and in JSON. */
export interface MessageField {
  /** The name in JSON. */
  json: string;
  number: number;
  /** A scalar of protobuf, or the name of a message. */
  type: string;
  repeated: boolean;
  /** A map of strings to the type. */
  map: boolean;
  /** A pointer in Go: absent differs from zero. */
  pointer: boolean;
  /** Go leaves it out of JSON where it is empty, which a struct never is. */
  omitEmpty: boolean;
  /** Zero is left out of JSON, as absent. */
  omitZero: boolean;
  /** A list that stands in JSON even where it is empty, as null. */
  nullWhenEmpty: boolean;
  /** The fields of the inner message stand beside the others in JSON. */
  inline: boolean;
  /** Go writes it even where it is zero. */
  always: boolean;
}

export interface Message {
  /** In the order of their numbers, as on the wire. */
  fields: readonly MessageField[];
  /** In the order in which Go declares them, as in JSON. */
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

/** The message of that name. Throws where there is none. */
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
    nullWhenEmpty: flags === 'r',
    inline: flags.includes('i'),
    always: !/[prm]/.test(flags) && type !== 'bytes' && !isListMessage(type),
  }));
  const declared = [...fields];
  // Go writes fields in the order of their numbers.
  fields.sort((a, b) => a.number - b.number);
  return { fields, declared, byNumber: new Map(fields.map((field) => [field.number, field])) };
}

const byJson = new Map<string, ReadonlyMap<string, MessageField>>();

/** The fields of a message by their names in JSON, those of inlined messages among them, in Go's order. */
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

/** True where JSON has the bare list that is wrapped in a message on the wire. */
export const isListMessage = (name: string): boolean => typeof recordedMessages().get(name) === 'string';

/** The name of the message of a kind; `undefined` for kinds that have no protobuf form. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  const { group, version } = parseGroupVersion(apiVersion);
  const { packages } = recorded();
  // Options and Status are kinds of every group version.
  const names = [packages[`${group}/${version}`], metaPackage].map((name) => `${name}.${kind}`);
  return names.find((name) => Array.isArray(recordedMessages().get(name)));
}
