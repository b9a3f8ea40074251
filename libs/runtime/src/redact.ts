const redacted = '[redacted]';

const secretName =
  /^(?:authorization|cookie|set-cookie|password|passwd|secret|token|bearertoken|.*(?:privatekey|private_key|_token|-token))$/i;
const bearerToken = /\b(Bearer\s+)[\w.~+/=-]+/g;
const webTokenCharacters = /[\w.-]+/g;
/** The base64 of `{"`, at the start of a word. */
const encodedObject = /(^|-)eyJ[\w-]/;
const keyBegin = /-----BEGIN [A-Z ]*PRIVATE KEY-----/g;
const keyEnd = /-----END [A-Z ]*PRIVATE KEY-----/g;
const deepest = 4;

/** Redacts secrets in the fields of a log line: by the name of a field, and by patterns in a text. */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactObject(fields, 0);
}

function redactObject(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      secretName.test(name) ? redacted : redactValue(value, depth),
    ]),
  );
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return errorFields(value, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return redactObject(value, depth + 1);
}

/** Redacts bearer tokens, JSON web tokens and private keys in a text. */
export function redactText(text: string): string {
  // Most texts contain none of the three.
  if (!text.includes('earer') && !text.includes('PRIVATE KEY') && !text.includes('eyJ')) return text;
  return redactKeys(text)
    .replaceAll(bearerToken, `$1${redacted}`)
    .replaceAll(webTokenCharacters, redactWebTokens);
}

/** A key without an end marker is redacted up to the end of the text. */
function redactKeys(text: string): string {
  const shown: string[] = [];
  let at = 0;
  for (let begin = next(keyBegin, text, 0); begin !== undefined; begin = next(keyBegin, text, at)) {
    shown.push(text.slice(at, begin.start), redacted);
    at = next(keyEnd, text, begin.end)?.end ?? text.length;
  }
  return shown.length === 0 ? text : shown.join('') + text.slice(at);
}

function next(pattern: RegExp, text: string, from: number): { start: number; end: number } | undefined {
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found === null ? undefined : { start: found.index, end: pattern.lastIndex };
}

/** Redacts JSON web tokens: three parts, of which the first starts with the base64 of `{"`. */
function redactWebTokens(text: string): string {
  const parts = text.split('.');
  if (parts.length < 3) return text;
  const shown: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? '';
    const first = encodedObject.exec(part);
    const isToken = first !== null && Boolean(parts[i + 1]) && Boolean(parts[i + 2]);
    shown.push(isToken ? part.slice(0, first.index + (first[1]?.length ?? 0)) + redacted : part);
    if (isToken) i += 2;
  }
  return shown.join('.');
}

function errorFields(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return {
    name,
    message: redactText(message),
    ...('code' in error ? { code: error.code } : {}),
    ...(stack === undefined ? {} : { stack: redactText(stack) }),
    ...(cause === undefined || depth >= deepest ? {} : { cause: redactValue(cause, depth + 1) }),
  };
}
