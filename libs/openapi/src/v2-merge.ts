import { Buffer } from 'node:buffer';
import { type JsonObject, stringifyJson } from '@annex/machinery';
import { createPacer } from '@annex/http';
import { OwnMembers } from './own-members.ts';
import { digest, type Encoded, type LazyDocument } from './published-documents.ts';
import { encodeOpenApiV2 } from './v2-protobuf.ts';
import { addForeign, type ForeignDocument, MergedMembers } from './v2-foreign.ts';
import { membersOfV2, v2Frame, type V2Member, type V2Section, v2Sections } from './v2.ts';

type BySection<T> = Readonly<Record<V2Section, T>>;

/** The encoding of the merged document from cached pieces. */
interface Form {
  piece(section: V2Section, name: string, value: JsonObject): Buffer;
  join(pieces: BySection<readonly Buffer[]>): Buffer[];
}

const text = (value: string): Buffer => Buffer.from(value);
const comma = text(',');
const separated = (pieces: readonly Buffer[]): Buffer[] =>
  pieces.flatMap((piece, i) => (i === 0 ? [piece] : [comma, piece]));

/** The encodings by media type. */
export const v2Forms = {
  'application/json': {
    piece: (_section, name, value) => text(`${JSON.stringify(name)}:${stringifyJson(value)}`),
    join: (pieces) => [
      text(stringifyJson(v2Frame).slice(0, -1)),
      ...v2Sections.flatMap((section) => [text(`,"${section}":{`), ...separated(pieces[section]), text('}')]),
      text('}'),
    ],
  },
  // Concatenated messages are one message with all fields.
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf': {
    piece: (section, name, value) => encodeOpenApiV2({ [section]: { [name]: value } }),
    join: (pieces) => [encodeOpenApiV2(v2Frame), ...v2Sections.flatMap((section) => pieces[section])],
  },
} as const satisfies Record<string, Form>;

export type V2Type = keyof typeof v2Forms;

type Pieces = BySection<[name: string, piece: Buffer][]>;
/** The cached pieces, by the path of their document. */
type Known = Map<string, { document: LazyDocument; pieces: Pieces }>;
type Documents = readonly [path: string, document: LazyDocument][];

/**
 * Merges documents of version 3 into one of version 2. Unchanged documents are not read again, so that a
 * change of one custom resource costs only its own conversion. If several documents have a member, the first
 * one applies. Documents of extension API servers are added in order. Concurrent callers share one merge,
 * which yields to the event loop.
 */
export class V2Merger {
  readonly #form: Form;
  readonly #ownMembers = new OwnMembers();
  #known: Known = new Map();
  #merged: { hash: string; result: Promise<Encoded> } | undefined;

  constructor(type: V2Type) {
    this.#form = v2Forms[type];
  }

  async merge(own: Documents, foreign: readonly ForeignDocument[], now: number): Promise<Encoded> {
    const hashes = [...own.map(([path, { hash }]) => `${path} ${hash}`), ...foreign.map(({ hash }) => hash)];
    const hash = digest(hashes.join('\n'));
    if (this.#merged?.hash !== hash) {
      const forget = () => {
        if (this.#merged?.hash === hash) this.#merged = undefined;
      };
      const result = this.#merge(own, foreign, forget).then((pieces) => ({ pieces, hash, madeAt: now }));
      this.#merged = { hash, result };
      result.catch(forget);
    }
    return await this.#merged.result;
  }

  /** `onLoss` is called for documents that could not be loaded; the next request loads them again. */
  async #merge(own: Documents, foreign: readonly ForeignDocument[], onLoss: () => void): Promise<Buffer[]> {
    const known: Known = new Map();
    const pace = createPacer();
    for (const [path, document] of own) {
      const pieces = await this.#piecesOf(path, document, pace);
      if (pieces) known.set(path, { document, pieces });
    }
    this.#known = known;
    if (known.size < own.length) onLoss();
    const all = [...known.values()].map(({ pieces }) => pieces);
    // Changes of local definitions by extension API servers apply.
    if (foreign.length > 0) all.unshift(await this.#foreignPieces(foreign, pace));
    return this.#form.join({
      paths: await select(all, 'paths', pace),
      definitions: await select(all, 'definitions', pace),
      parameters: await select(all, 'parameters', pace),
    });
  }

  async #piecesOf(path: string, document: LazyDocument, pace: Pace): Promise<Pieces | undefined> {
    const known = this.#known.get(path);
    if (known?.document.hash === document.hash) return known.pieces;
    const loaded = await Promise.resolve(document.load()).catch(() => undefined);
    return loaded && (await this.#write(membersOfV2(loaded), pace));
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

  async #foreignPieces(foreign: readonly ForeignDocument[], pace: Pace): Promise<Pieces> {
    const own = [...this.#known].map(([path, { document, pieces }]) => ({
      path,
      document,
      names: bySection((section) => new Set(pieces[section].map(([name]) => name))),
    }));
    const documents = foreign.map(({ document }) => document);
    const names = bySection((section) => new Set(own.flatMap((one) => [...one.names[section]])));
    const merged = new MergedMembers(names, await this.#ownMembers.shared(own, documents));
    for (const document of documents) {
      addForeign(merged, document);
      const pause = pace();
      if (pause) await pause;
    }
    return await this.#write(merged.added(), pace);
  }
}

const bySection = <T>(of: (section: V2Section) => T): BySection<T> => ({
  paths: of('paths'),
  definitions: of('definitions'),
  parameters: of('parameters'),
});

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
