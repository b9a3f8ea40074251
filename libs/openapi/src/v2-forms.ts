import { Buffer } from 'node:buffer';
import { type JsonObject, keptBytes, stringifyJson } from '@annex/machinery';
import { type KindWords, TextTemplate } from './kind-words.ts';
import { ProtobufTemplate } from './protobuf-template.ts';
import { encodeOpenApiV2, writeOpenApiV2 } from './v2-protobuf.ts';
import { v2Frame, type V2Section } from './v2.ts';

/** Encoded members that differ only in the names of a kind. */
export interface MembersTemplate {
  /** Returns the number of bytes for a kind. */
  size(words: KindWords): number;
  fill(words: KindWords): Buffer;
}

export type NamedMember = readonly [name: string, value: JsonObject];

/** An encoding of the merged document as a sequence of pieces. */
export interface V2Form {
  /** Encodes one member of a section. */
  member(section: V2Section, name: string, value: JsonObject): Buffer;
  /** Encodes members of a section that describe the marker kind. */
  template(section: V2Section, members: readonly NamedMember[]): MembersTemplate;
  /** What stands around the pieces. */
  begin: Buffer;
  open(section: V2Section): Buffer;
  between: Buffer;
  close: Buffer;
  end: Buffer;
}

const text = (value: string): Buffer => Buffer.from(value);
const nothing = Buffer.alloc(0);
const jsonMember = (name: string, value: JsonObject): string =>
  `${JSON.stringify(name)}:${stringifyJson(value)}`;

const json: V2Form = {
  member: (_section, name, value) => keptBytes(jsonMember(name, value)),
  template(_section, members) {
    const template = new TextTemplate(members.map(([name, value]) => jsonMember(name, value)).join(','));
    return { size: (words) => template.size(words), fill: (words) => text(template.fill(words)) };
  },
  begin: text(stringifyJson(v2Frame).slice(0, -1)),
  open: (section) => text(`,"${section}":{`),
  between: text(','),
  close: text('}'),
  end: text('}'),
};

/** Concatenated messages are one message with all fields. */
const protobuf: V2Form = {
  member: (section, name, value) => encodeOpenApiV2({ [section]: { [name]: value } }),
  template(section, members) {
    const template = new ProtobufTemplate();
    for (const [name, value] of members) writeOpenApiV2(template, { [section]: { [name]: value } });
    return template;
  },
  begin: encodeOpenApiV2(v2Frame),
  open: () => nothing,
  between: nothing,
  close: nothing,
  end: nothing,
};

/** The encodings by media type. */
export const v2Forms = {
  'application/json': json,
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf': protobuf,
} as const satisfies Record<string, V2Form>;

export type V2Type = keyof typeof v2Forms;
