/**
 * Builds one expression that matches header names, exact or by prefix: it runs on all headers of each
 * request.
 */
export function headerNameTest(exact: readonly string[], prefixes: readonly string[]): RegExp {
  const patterns = [
    ...exact.map((name) => escapeForPattern(name)),
    ...prefixes.map((name) => `${escapeForPattern(name)}.*`),
  ];
  return new RegExp(`^(?:${[...new Set(patterns)].join('|')})$`, 'is');
}

/** Escapes the characters that have a meaning outside of a character class. Node 22 has no `RegExp.escape`. */
const escapeForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
