import { fail } from '../errors.ts';

/** A formatting clause such as `%s` or `%.2f`. */
export interface Clause {
  readonly verb: 's' | 'd' | 'f' | 'e' | 'b' | 'o' | 'x' | 'X';
  readonly precision: number | undefined;
}

/**
 * Replaces each clause of a format. `replace` is also called with undefined for an invalid clause, before the error of the
 * clause.
 */
export function parseFormat(format: string, replace: (clause: Clause | undefined) => string): string {
  let made = '';
  for (let at = 0; at < format.length;) {
    const percent = format.indexOf('%', at);
    if (percent < 0) return made + format.slice(at);
    made += format.slice(at, percent);
    if (format[percent + 1] === '%') {
      made += '%';
      at = percent + 2;
      continue;
    }
    if (percent + 1 >= format.length) {
      replace(undefined);
      return fail('unexpected end of string');
    }
    const [clause, end] = lazily(() => parseClause(format, percent + 1), replace);
    made += clause;
    at = end;
  }
  return made;
}

/** Calls `replace` first, because a missing argument is reported before an invalid clause. */
function lazily(
  parse: () => { clause: Clause; end: number },
  replace: (clause: Clause | undefined) => string,
): readonly [string, number] {
  let parsed;
  try {
    parsed = parse();
  } catch (error) {
    replace(undefined);
    throw error;
  }
  return [replace(parsed.clause), parsed.end];
}

function parseClause(format: string, start: number): { clause: Clause; end: number } {
  const { precision, end } = parsePrecision(format, start);
  const verb = format[end]!;
  if (!/^[sdfeboxX]$/.test(verb))
    return fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  return { clause: { verb: verb as Clause['verb'], precision }, end: end + 1 };
}

function parsePrecision(format: string, start: number): { precision: number | undefined; end: number } {
  if (format[start] !== '.') return { precision: undefined, end: start };
  const digits = /^\d*/.exec(format.slice(start + 1))![0];
  const end = start + 1 + digits.length;
  if (end >= format.length) return failPrecision('could not find end of precision specifier');
  const reason = digits === '' ? 'invalid syntax' : 'value out of range';
  if (digits === '' || BigInt(digits) >= 2n ** 63n) {
    const parsing = `strconv.Atoi: parsing "${digits}": ${reason}`;
    return failPrecision(`error while converting precision to integer: ${parsing}`);
  }
  return { precision: Number(digits), end };
}

function failPrecision(message: string): never {
  return fail(`could not parse formatting clause: error while parsing precision: ${message}`);
}
