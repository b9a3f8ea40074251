import { derElements, type DerElement } from './der.ts';

/** The names that a CA may or may not certify: RFC 5280, 4.2.1.10. */
export interface NameConstraints {
  permitted: readonly GeneralName[];
  excluded: readonly GeneralName[];
  /** False if it also constrains kinds of names that are not supported. */
  isComplete: boolean;
}

/** An alternative name of a certificate, or the constraint that it is compared with. */
export interface GeneralName {
  kind: Kind;
  /** The bytes of the name; texts are ASCII. */
  value: Buffer;
}

type Kind = 'email' | 'dns' | 'uri' | 'ip';

const kinds: ReadonlyMap<number, Kind> = new Map([
  [0x81, 'email'],
  [0x82, 'dns'],
  [0x86, 'uri'],
  [0x87, 'ip'],
]);
const permittedTag = 0xa0;
const excludedTag = 0xa1;

/** Parses the name constraints extension. */
export function nameConstraints(value: Buffer): NameConstraints {
  const [whole] = derElements(value);
  const parts = whole === undefined ? [] : derElements(whole.content);
  const subtrees = (tag: number) =>
    parts.filter((part) => part.tag === tag).flatMap((part) => derElements(part.content).map(baseOf));
  const permitted = subtrees(permittedTag);
  const excluded = subtrees(excludedTag);
  const known = (names: readonly (GeneralName | undefined)[]) => names.filter((name) => name !== undefined);
  return {
    permitted: known(permitted),
    excluded: known(excluded),
    isComplete: [...permitted, ...excluded].every((name) => name !== undefined),
  };
}

function baseOf(subtree: DerElement): GeneralName | undefined {
  const [base, ...others] = derElements(subtree.content);
  const kind = base && kinds.get(base.tag);
  // RFC 5280 forbids distances other than the default.
  return base && kind && others.length === 0 ? { kind, value: base.content } : undefined;
}

/** Parses the alternative names extension; names of other kinds are left out. */
export function alternativeNames(value: Buffer): GeneralName[] {
  const [whole] = derElements(value);
  return (whole === undefined ? [] : derElements(whole.content)).flatMap(({ tag, content }) => {
    const kind = kinds.get(tag);
    return kind === undefined ? [] : [{ kind, value: content }];
  });
}

/** Returns the first name that a CA must not certify. */
export const forbiddenName = (
  names: readonly GeneralName[],
  { permitted, excluded }: NameConstraints,
): GeneralName | undefined =>
  names.find((name) => {
    const ofKind = (list: readonly GeneralName[]) => list.filter(({ kind }) => kind === name.kind);
    const allowed = ofKind(permitted);
    if (ofKind(excluded).some((constraint) => matches(name, constraint) !== false)) return true;
    return allowed.length > 0 && !allowed.some((constraint) => matches(name, constraint) === true);
  });

/** Returns whether a name lies within a constraint; `undefined` if the name is malformed. */
function matches(name: GeneralName, constraint: GeneralName): boolean | undefined {
  if (name.kind === 'ip') return matchesAddress(name.value, constraint.value);
  const [text, within] = [asText(name.value), asText(constraint.value)];
  if (text === undefined || within === undefined) return undefined;
  if (name.kind === 'email') return matchesEmail(text, within);
  return matchesDomain(name.kind === 'uri' ? hostOf(text) : text, within);
}

const asText = (value: Buffer): string | undefined =>
  value.every((byte) => byte > 0x20 && byte < 0x7f) ? value.toString('latin1').toLowerCase() : undefined;

function hostOf(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { hostname } = new URL(uri);
  // Constraints on host names do not cover addresses, so they cannot allow such a name.
  return hostname === '' || /^[[\d.]+$|^\[/.test(hostname) ? undefined : hostname;
}

function matchesDomain(name: string | undefined, constraint: string): boolean | undefined {
  if (name === undefined || name === '') return undefined;
  if (constraint === '') return true;
  if (constraint.startsWith('.')) return name.endsWith(constraint);
  return name === constraint || name.endsWith(`.${constraint}`);
}

function matchesEmail(name: string, constraint: string): boolean | undefined {
  const at = name.lastIndexOf('@');
  if (at <= 0) return undefined;
  if (constraint.includes('@')) return name === constraint;
  const host = name.slice(at + 1);
  return constraint.startsWith('.') ? host.endsWith(constraint) : constraint === '' || host === constraint;
}

function matchesAddress(address: Buffer, constraint: Buffer): boolean | undefined {
  if (constraint.length !== 2 * address.length) return false;
  return address.every(
    (byte, i) => ((byte ^ (constraint[i] as number)) & (constraint[address.length + i] as number)) === 0,
  );
}
