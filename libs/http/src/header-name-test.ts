/** Names of headers, exact and by what they begin with, as one expression: each request is asked about all of its headers. */
export function headerNameTest(exact: readonly string[], prefixes: readonly string[]): RegExp {
  const patterns = [
    ...exact.map((name) => RegExp.escape(name)),
    ...prefixes.map((name) => `${RegExp.escape(name)}.*`),
  ];
  return new RegExp(`^(?:${[...new Set(patterns)].join('|')})$`, 'is');
}
