import { getOwn } from '@annex/machinery';
/** Reserved words, which cannot be identifiers. */
const reserved = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
);

/** Returns true for a reserved word; the parser accepts some of them after a dot. */
export const isReserved = (word: string): boolean => reserved.has(word);

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

const unescapes = new Map(Object.entries(escapes).map(([plain, escaped]) => [escaped, plain]));

/**
 * Returns the identifier of a property in expressions; undefined if it has none.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export function escapeName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[./-]/g, (part) => getOwn(escapes, part) ?? part);
}

/** Returns the property of an identifier; undefined if it contains an invalid escape sequence. */
export function unescapeName(identifier: string): string | undefined {
  let valid = true;
  const name = identifier.replace(/__[^_]+__/g, (sequence) => {
    const plain = unescapes.get(sequence);
    if (plain !== undefined) return plain;
    const word = sequence.slice(2, -2);
    // The escape of a reserved word must be the whole identifier.
    if (!reserved.has(word) || sequence.length !== identifier.length) valid = false;
    return word;
  });
  return valid ? name : undefined;
}
