import { Buffer } from 'node:buffer';
import { type JsonObject, stringifyJson } from '@annex/machinery';
import { createPacer } from '../pacer.ts';
import { digest, type Encoded, type LazyDocument } from './published-documents.ts';
import { encodeOpenApiV2 } from './v2-protobuf.ts';
import { fitForeign, TakenMembers } from './v2-foreign.ts';
import { membersOfV2, v2Frame, type V2Member, type V2Section, v2Sections } from './v2.ts';

type BySection<T> = Readonly<Record<V2Section, T>>;

/** How the merged document is written, from pieces that are written once. */
interface Form {
  piece(section: V2Section, name: string, value: JsonObject): Buffer;
  join(pieces: BySection<readonly Buffer[]>): Buffer[];
}

const text = (value: string): Buffer => Buffer.from(value);
const comma = text(',');
const separated = (pieces: readonly Buffer[]): Buffer[] =>
  pieces.flatMap((piece, i) => (i === 0 ? [piece] : [comma, piece]));

/** The forms by their media types. */
export const v2Forms = {
  'application/json': {
    piece: (_section, name, value) => text(`${JSON.stringify(name)}:${stringifyJson(value)}`),
    join: (pieces) => [
      text(stringifyJson(v2Frame).slice(0, -1)),
      ...v2Sections.flatMap((section) => [text(`,"${section}":{`), ...separated(pieces[section]), text('}')]),
      text('}'),
    ],
  },
  // Messages that follow one another are one message with the fields of all.
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf': {
    piece: (section, name, value) => encodeOpenApiV2({ [section]: { [name]: value } }),
    join: (pieces) => [encodeOpenApiV2(v2Frame), ...v2Sections.flatMap((section) => pieces[section])],
  },
} as const satisfies Record<string, Form>;

export type V2Type = keyof typeof v2Forms;

type Pieces = BySection<[name: string, piece: Buffer][]>;
type Documents = readonly [path: string, document: LazyDocument][];

/**
 * Merges documents of version 3 into one of version 2. A document that did not change is not read again, so that a
 * change of one custom resource costs no more than its own conversion. What several documents have comes from the first;
 * those of extension servers come last, and describe nothing that is not theirs.
 * The work is done in turns with everybody else's, and once for all who wait for it.
 */
export class V2Merger {
  readonly #form: Form;
  #known = new Map<string, { hash: string; pieces: Pieces }>();
  #merged: { hash: string; result: Promise<Encoded> } | undefined;

  constructor(type: V2Type) {
    this.#form = v2Forms[type];
  }

  async merge(documents: Documents, now: number): Promise<Encoded> {
    const hash = digest(documents.map(([path, document]) => `${path} ${document.hash}`).join('\n'));
    if (this.#merged?.hash !== hash) {
      const forget = () => {
        if (this.#merged?.hash === hash) this.#merged = undefined;
      };
      const result = this.#merge(documents, hash, now, forget);
      this.#merged = { hash, result };
      result.catch(forget);
    }
    return await this.#merged.result;
  }

  /** `onLoss` is told of documents that could not be had: the next reader asks for them again. */
  async #merge(documents: Documents, hash: string, madeAt: number, onLoss: () => void): Promise<Encoded> {
    const known = new Map<string, { hash: string; pieces: Pieces }>();
    const pace = createPacer();
    const own = documents.filter(([, { within }]) => within === undefined);
    for (const [path, document] of own) {
      const pieces = await this.#piecesOf(path, document, pace);
      if (pieces) known.set(path, { hash: document.hash, pieces });
    }
    this.#known = known;
    if (known.size < own.length) onLoss();
    const all = [...known.values()].map(({ pieces }) => pieces);
    all.push(...(await this.#foreign(documents, pace)));
    const selected = {
      paths: await select(all, 'paths', pace),
      definitions: await select(all, 'definitions', pace),
      parameters: await select(all, 'parameters', pace),
    };
    return { pieces: this.#form.join(selected), hash, madeAt };
  }

  async #piecesOf(path: string, { hash, load }: LazyDocument, pace: Pace): Promise<Pieces | undefined> {
    const known = this.#known.get(path);
    if (known?.hash === hash) return known.pieces;
    const document = await Promise.resolve(load()).catch(() => undefined);
    if (document === undefined) return undefined;
    return await this.#write(membersOfV2(document), pace);
  }

  async #write(members: Iterable<V2Member>, pace: Pace): Promise<Pieces> {
    const pieces: Pieces = { paths: [], definitions: [], parameters: [] };
    for (const [section, name, value] of members) {
      pieces[section].push([name, this.#form.piece(section, name, value)]);
      const pause = pace();
      if (pause) await pause;
    }
    return pieces;
  }

  /** What extension servers add. A document that makes no sense adds nothing, and harms nobody. */
  async #foreign(documents: Documents, pace: Pace): Promise<Pieces[]> {
    const foreign = documents.filter(([, { within }]) => within !== undefined);
    if (foreign.length === 0) return [];
    const known = [...this.#known].map(([path, { pieces }]): [string, Pieces] => [path, pieces]);
    const taken = new TakenMembers(new Map(documents), known);
    const found: Pieces[] = [];
    for (const [, { load, within = '/' }] of foreign) {
      try {
        const document = await load();
        if (document === undefined) continue;
        const members = await fitForeign(membersOfV2(document), within, taken);
        found.push(await this.#write(members, pace));
        taken.add(members);
      } catch {
        continue;
      }
    }
    return found;
  }
}

type Pace = ReturnType<typeof createPacer>;

async function select(documents: Iterable<Pieces>, section: V2Section, pace: Pace): Promise<Buffer[]> {
  const seen = new Map<string, Buffer>();
  for (const pieces of documents) {
    for (const [name, piece] of pieces[section]) if (!seen.has(name)) seen.set(name, piece);
    const pause = pace();
    if (pause) await pause;
  }
  return [...seen.values()];
}
