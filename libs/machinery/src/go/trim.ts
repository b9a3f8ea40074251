/** Removes the characters of a set from the end of a text, as Go's `strings.TrimRight` does. */
export function trimRight(text: string, set: string): string {
  let end = text.length;
  while (end > 0 && set.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Removes the characters of a set from both ends of a text, as Go's `strings.Trim` does. */
export function trim(text: string, set: string): string {
  const kept = trimRight(text, set);
  let start = 0;
  while (start < kept.length && set.includes(kept.charAt(start))) start++;
  return kept.slice(start);
}
