const age = String.raw`(?:\d+y(?:\d+d)?|\d+d(?:\d+h)?|\d+h(?:\d+m)?|\d+m(?:\d+s)?|\d+s)`;
const noAgeBefore = String.raw`(?<![\w.:/"'=-])`;

const rules: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/X509SHA256=[0-9a-f]{64}/g, 'X509SHA256=<hash>'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jwt>'],
  [/(resourceVersion\\?"?: ?\\?"?)[1-9]\d*/g, '$1<rv>'],
  [/(Resource Version: +)\d+/g, '$1<rv>'],
  [/diff -u -N \S+/g, 'diff'],
  [/^diff (\/\S+\/)?(LIVE|MERGED)\S*\/(\S+) \S*\/(\S+)/gm, 'diff $3 $4'],
  [/^(---|\+\+\+) \S*\/(LIVE|MERGED)-\d+\/(\S+)\s.*/gm, '$1 $2/$3'],
  [/\S*\/(LIVE|MERGED)-\d+\//g, '$1/'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4}( UTC)?)/g, '<time>'],
  [/^([EWIF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, '$1<klog> '],
  // It is random whether kubectl or the server ends the watch first.
  [/^I<klog> .*very short watch: .*\n/gm, ''],
  [/edit-\d+\.yaml/g, 'edit-<n>.yaml'],
  [new RegExp(String.raw`${noAgeBefore}${age}( {2,})(?=\S)`, 'g'), '<age>   '],
  [new RegExp(String.raw`${noAgeBefore}${age}(?![\w.:/"'-])`, 'g'), '<age>'],
  [/(AGE|LAST SEEN) {2,}(?=\S)/g, '$1   '],
];

/**
 * Replaces texts that differ between runs: first these literals, then ages, times, uids and similar values.
 */
export function normalizeOutput(output: string, literals: readonly (readonly [string, string])[]): string {
  let text = output.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  for (const [from, to] of literals) text = text.replaceAll(from, to);
  for (const [pattern, to] of rules) text = text.replaceAll(pattern, to);
  return text;
}

/** Compiles a regular expression in Python's syntax: flags are a prefix, as in `(?m)^x`. */
export function pythonRegExp(source: string, flags = ''): RegExp {
  const inline = /^\(\?([ims]+)\)/.exec(source);
  return new RegExp(inline === null ? source : source.slice(inline[0].length), flags + (inline?.[1] ?? ''));
}

/** Applies a substitution of one step: `REGEX => TEXT` in Python's syntax. */
export function applySubstitution(rule: string, text: string): string {
  const [source = '', to = ''] = rule.split(' => ');
  return text.replaceAll(pythonRegExp(source, 'g'), to.replaceAll('$', '$$$$').replaceAll(/\\(\d)/g, '$$$1'));
}

/** Returns the lines of an output without trailing spaces. */
export function linesOf(text: string): string[] {
  const trimmed = text.replace(/\n+$/, '');
  return trimmed === '' ? [] : trimmed.split('\n');
}
