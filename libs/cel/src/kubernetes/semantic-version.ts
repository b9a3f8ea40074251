import { goQuote } from '@annex/machinery';

/** A pre-release identifier: a number, or a word, which is greater than every number. */
type Identifier = bigint | string;

/** Reports an invalid version. */
export class SemanticVersionError extends Error {}

const maxUint64 = (1n << 64n) - 1n;

/** A version by https://semver.org. Immutable. */
export class SemanticVersion {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly #preRelease: readonly Identifier[];

  private constructor(numbers: SemanticVersion['numbers'], preRelease: readonly Identifier[]) {
    this.numbers = numbers;
    this.#preRelease = preRelease;
  }

  /** Parses a version. Throws {@link SemanticVersionError} with the error messages of github.com/blang/semver. */
  static parse(text: string): SemanticVersion {
    if (text === '') throw new SemanticVersionError('Version string empty');
    const [major, minor, rest] = splitThree(text);
    if (minor === undefined || rest === undefined)
      throw new SemanticVersionError('No Major.Minor.Patch elements found');
    const first = parseNumber(major, 'Major');
    const second = parseNumber(minor, 'Minor');
    const [version, build] = cut(rest, '+');
    const [patch, preRelease] = cut(version, '-');
    const numbers = [first, second, parseNumber(patch, 'Patch')] as const;
    const identifiers = preRelease?.split('.').map(parseIdentifier) ?? [];
    build?.split('.').forEach(checkBuild);
    return new SemanticVersion(numbers, identifiers);
  }

  /** Parses a version that can start with `v`, omit trailing numbers, or have leading zeros in numbers. */
  static parseTolerantly(text: string): SemanticVersion {
    const parts = splitThree(text.replace(/^v/, '')).map(withoutLeadingZeroes);
    if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
      throw new SemanticVersionError('short version cannot contain PreRelease/Build meta data');
    }
    while (parts.length < 3) parts.push('0');
    return SemanticVersion.parse(parts.join('.'));
  }

  /** Returns -1, 0 or 1; build metadata is ignored. */
  compare(other: SemanticVersion): number {
    for (const [i, number] of this.numbers.entries()) {
      const theirs = other.numbers[i] ?? 0n;
      if (number !== theirs) return number > theirs ? 1 : -1;
    }
    const mine = this.#preRelease;
    const theirs = other.#preRelease;
    if (mine.length === 0 || theirs.length === 0) return Math.sign(theirs.length - mine.length);
    for (let i = 0; i < mine.length && i < theirs.length; i++) {
      const order = compareIdentifiers(mine[i]!, theirs[i]!);
      if (order !== 0) return order;
    }
    return Math.sign(mine.length - theirs.length);
  }
}

function splitThree(text: string): [string, string?, string?] {
  const [major = '', minor, ...rest] = text.split('.');
  if (minor === undefined) return [major];
  return rest.length === 0 ? [major, minor] : [major, minor, rest.join('.')];
}

function cut(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function withoutLeadingZeroes(part = ''): string {
  if (part.length < 2) return part;
  const rest = part.replace(/^0+/, '');
  return /^\d/.test(rest) ? rest : `0${rest}`;
}

function parseNumber(text: string, name: 'Major' | 'Minor' | 'Patch'): bigint {
  if (/[^0-9]/.test(text)) {
    throw new SemanticVersionError(
      `Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(text)}`,
    );
  }
  if (/^0./.test(text))
    throw new SemanticVersionError(`${name} number must not contain leading zeroes ${goQuote(text)}`);
  return parseUint64(text);
}

function parseUint64(text: string): bigint {
  const reason =
    text === '' ? 'invalid syntax' : text.length > 20 || BigInt(text) > maxUint64 ? 'value out of range' : '';
  if (reason !== '') throw new SemanticVersionError(`strconv.ParseUint: parsing ${goQuote(text)}: ${reason}`);
  return BigInt(text);
}

function parseIdentifier(text: string): Identifier {
  if (text === '') throw new SemanticVersionError('Prerelease is empty');
  if (/[^0-9A-Za-z-]/.test(text))
    throw new SemanticVersionError(`Invalid character(s) found in prerelease ${goQuote(text)}`);
  if (/[^0-9]/.test(text)) return text;
  if (/^0./.test(text)) {
    throw new SemanticVersionError(
      `Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`,
    );
  }
  return parseUint64(text);
}

function checkBuild(text: string): void {
  if (text === '') throw new SemanticVersionError('Build meta data is empty');
  if (/[^0-9A-Za-z-]/.test(text))
    throw new SemanticVersionError(`Invalid character(s) found in build meta data ${goQuote(text)}`);
}

function compareIdentifiers(a: Identifier, b: Identifier): number {
  if (a === b) return 0;
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  return a > b ? 1 : -1;
}
