/**
 * Builds one expression that matches header names, exact or by prefix: it runs on all headers of each
 * request.
 */
export function headerNameTest(exact: readonly string[], prefixes: readonly string[]): RegExp {
  const patterns = [
    ...exact.map((name) => RegExp.escape(name)),
    ...prefixes.map((name) => `${RegExp.escape(name)}.*`),
  ];
  return new RegExp(`^(?:${[...new Set(patterns)].join('|')})$`, 'is');
}
