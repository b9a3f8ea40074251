/** Returns why Go cannot read a URL query, or undefined. */
export function queryProblem(text: string): string | undefined {
  if (text.includes(';')) return 'invalid semicolon separator in query';
  const escape = /%(?![0-9a-f]{2}).{0,2}/i.exec(text)?.[0];
  return escape === undefined ? undefined : `invalid URL escape ${JSON.stringify(escape)}`;
}
