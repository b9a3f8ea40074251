import { setOwn } from '@annex/machinery';
import protobuf from 'protobufjs/light.js';
import { type Message, type MessageDraft, type MessageName, messageTable } from './messages.ts';

/** Encodes and decodes one message type. */
export interface Codec<N extends MessageName> {
  encode(message: MessageDraft<N>): Buffer;
  decode(bytes: Uint8Array): Message<N>;
}

const root = protobuf.Root.fromJSON({ nested: { etcd: { nested: declarations() } } });

function declarations(): Record<string, protobuf.AnyNestedObject> {
  return Object.fromEntries(
    Object.entries(messageTable).map(([name, fields]) => [name, declaration(fields)]),
  ) as Record<string, protobuf.AnyNestedObject>;
}

function declaration(table: Record<string, string>): object {
  const fields: Record<string, object> = {};
  const members: string[] = [];
  for (const [name, text] of Object.entries(table)) {
    const [, type, mark, id] = /^(\w+)([*?]?) (\d+)$/.exec(text)!;
    if (mark === '?') members.push(name);
    setOwn(fields, name, {
      type: type === 'id64' ? 'int64' : type,
      id: Number(id),
      ...(mark === '*' ? { rule: 'repeated' } : {}),
    });
  }
  return members.length > 0 ? { fields, oneofs: { union: { oneof: members } } } : { fields };
}

/** Returns the codec of a message type; compiled on first use. */
export function codec<N extends MessageName>(name: N): Codec<N> {
  let type: protobuf.Type | undefined;
  const compiled = () => (type ??= root.lookupType(`etcd.${name}`));
  const ids = Object.entries(messageTable[name]).flatMap(([field, text]) =>
    text.startsWith('id64') ? [field] : [],
  );
  return {
    encode: (message) => compiled().encode(message).finish() as Buffer,
    decode(bytes) {
      const message = compiled().decode(bytes);
      const plain = compiled().toObject(message, { longs: Number, arrays: true, defaults: true });
      // The names come from `messageTable`; protobufjs keeps the defaults of fields on the prototype.
      // eslint-disable-next-line annex/no-inherited-keys
      for (const id of ids) setOwn(plain, id, String((message as unknown as Record<string, unknown>)[id]));
      return plain as Message<N>;
    },
  };
}
