import { getOwn } from '@annex/machinery';
/** Words that no identifier of the language can be. */
const reserved = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
);

/** True for a word that no identifier can be, though after a dot some are understood. */
export const isReserved = (word: string): boolean => reserved.has(word);

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

const unescapes = new Map(Object.entries(escapes).map(([plain, escaped]) => [escaped, plain]));

/**
 * The identifier under which expressions see a property; undefined where they cannot.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export function escapeName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[./-]/g, (part) => getOwn(escapes, part) ?? part);
}

/** The property that an identifier stands for; undefined where it has an escape sequence that there is not. */
export function unescapeName(identifier: string): string | undefined {
  let valid = true;
  const name = identifier.replace(/__[^_]+__/g, (sequence) => {
    const plain = unescapes.get(sequence);
    if (plain !== undefined) return plain;
    const word = sequence.slice(2, -2);
    // A reserved word is escaped as a whole or not at all.
    if (!reserved.has(word) || sequence.length !== identifier.length) valid = false;
    return word;
  });
  return valid ? name : undefined;
}
