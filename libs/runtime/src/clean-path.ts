/** Removes empty and dot segments of an escaped path, as Go's ServeMux; a slash at the end stays. */
export function cleanPath(path: string): string {
  if (!/\/(?:\/|\.)/.test(path)) return path === '' ? '/' : path;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const joined = `/${segments.join('/')}`;
  return path.endsWith('/') && joined !== '/' ? `${joined}/` : joined;
}
