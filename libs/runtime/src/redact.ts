const redacted = '[redacted]';

const secretName =
  /^(?:authorization|cookie|set-cookie|password|passwd|secret|token|bearertoken|.*(?:privatekey|private_key|_token|-token))$/i;
const secretText =
  /\b(Bearer\s+)[\w.~+/=-]+|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const deepest = 4;

/** The fields of a log line with secrets replaced: by the name of a field, and by the look of a text. */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactObject(fields, 0);
}

function redactObject(fields: object, depth: number): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    shown[name] = secretName.test(name) ? redacted : redactValue(value, depth);
  }
  return shown;
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

/** A text without bearer tokens, JSON web tokens and private keys. */
export function redactText(text: string): string {
  // Most texts hold none of the three.
  if (!text.includes('earer') && !text.includes('PRIVATE KEY') && !text.includes('eyJ')) return text;
  return text.replaceAll(secretText, (_all, bearer?: string) => `${bearer ?? ''}${redacted}`);
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
