import { Buffer } from 'node:buffer';
import { componentName, type PublishedKind } from '@annex/kinds';
import { article, versionWords } from './document.ts';
import { machineryComponents } from './v2-parameters.ts';

/** Longer names come first, because they contain shorter ones. */
const holes = [
  'listComponent',
  'component',
  'prefix',
  'tag',
  'root',
  'group',
  'version',
  'articledKind',
  'kind',
  'listKind',
  'plural',
] as const;

/** A place in the operations and the definitions of a custom resource where one of its names stands. */
export type Hole = (typeof holes)[number];

/** The names of a custom resource in these texts. */
export type KindWords = Readonly<Record<Hole, string>>;

export function wordsOf({ group, version, kind, listKind, plural }: PublishedKind): KindWords {
  return {
    listComponent: componentName(group, version, listKind),
    component: componentName(group, version, kind),
    ...versionWords(group, version),
    root: `/apis/${group}/${version}`,
    group,
    version,
    articledKind: article(kind),
    kind,
    listKind,
    plural,
  };
}

/** A kind whose names occur nowhere else in a document. */
export const markerKind: PublishedKind = {
  group: 'qgroupq.example',
  version: 'qversionq',
  kind: 'Qkindq',
  listKind: 'Qlistq',
  plural: 'qpluralq',
};

const markers = wordsOf(markerKind);

/** Returns whether JSON and UTF-8 encode a name as it is. */
const isPlain = (name: string): boolean =>
  JSON.stringify(name) === `"${name}"` && Buffer.byteLength(name) === name.length;

/**
 * Returns whether the operations of a kind are those of {@link markerKind} with other names: they need no
 * escapes, and its components are not mistaken for those of Kubernetes, which have shared parameters.
 */
export const hasPlainNames = ({ group, version, kind, listKind, plural }: PublishedKind): boolean =>
  [group, version, kind, listKind, plural].every(isPlain) &&
  !componentName(group, version, kind).startsWith(machineryComponents);

/** A text of {@link markerKind} that is filled with the names of other kinds. */
export class TextTemplate {
  readonly #texts: string[] = [];
  readonly #holes: Hole[] = [];
  readonly #constantBytes: number;

  constructor(text: string) {
    let parts: (string | { hole: Hole })[] = [text];
    for (const hole of holes) {
      parts = parts.flatMap((part) => (typeof part === 'string' ? splitAt(part, hole) : [part]));
    }
    // Texts and holes alternate.
    for (const part of parts) {
      if (typeof part === 'string') this.#texts.push(part);
      else this.#holes.push(part.hole);
    }
    this.#constantBytes = this.#texts.reduce((sum, constant) => sum + Buffer.byteLength(constant), 0);
  }

  get isConstant(): boolean {
    return this.#holes.length === 0;
  }

  /** Returns the number of bytes of the filled text. Names are ASCII. */
  size(words: KindWords): number {
    let size = this.#constantBytes;
    for (const hole of this.#holes) size += words[hole].length;
    return size;
  }

  fill(words: KindWords): string {
    let text = this.#texts[0]!;
    for (let i = 0; i < this.#holes.length; i++) text += words[this.#holes[i]!] + this.#texts[i + 1]!;
    return text;
  }
}

const splitAt = (text: string, hole: Hole): (string | { hole: Hole })[] =>
  text.split(markers[hole]).flatMap((part, i) => (i === 0 ? [part] : [{ hole }, part]));
