/** Joins error texts without duplicates, as apimachinery's aggregate prints them: `[a, b]`. */
export function aggregateText(texts: readonly string[]): string {
  const once = [...new Set(texts)];
  return once.length === 1 ? (once[0] as string) : `[${once.join(', ')}]`;
}
