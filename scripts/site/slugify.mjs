/** Returns the anchor of a heading, as GitHub makes it. */
export function slugify(heading) {
  const letters = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return letters.trim().replaceAll(/\s/g, '-');
}
