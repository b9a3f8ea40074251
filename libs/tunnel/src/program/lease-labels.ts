/** Returns the labels of `--lease-label`: `key=value`, several with commas between them. Throws with upstream's text. */
export function parseLeaseLabels(text: string): Record<string, string> {
  if (text === '') throw new Error('empty string provided');
  const pairs = text.split(',').map((pair) => {
    const [key = '', value, ...further] = pair.split('=');
    if (value === undefined || further.length > 0) throw new Error(`invalid label format: ${pair}`);
    return [key.trim(), value.trim()] as const;
  });
  return Object.fromEntries(pairs);
}

/** Returns the errors of `--lease-label`. */
export function leaseLabelProblems(text: string): string[] {
  try {
    parseLeaseLabels(text);
    return [];
  } catch (error) {
    return [`--lease-label: ${(error as Error).message}`];
  }
}
