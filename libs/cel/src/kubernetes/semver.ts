import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { member, overload } from '../typing/declare.ts';
import type { FunctionDeclaration } from '../typing/declarations.ts';
import { type CelType, structType, types } from '../typing/type.ts';
import { type Integer, narrow } from '../values/int.ts';
import { Instance, type Value } from '../values/value.ts';
import { costing, nominal, textArgument } from './call-costs.ts';
import { SemanticVersion, SemanticVersionError } from './semantic-version.ts';

const { bool, int, string } = types;
const versionType = structType('kubernetes.Semver');

class VersionValue extends Instance {
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  override get type(): CelType {
    return versionType;
  }

  equals(other: Value): boolean {
    if (!(other instanceof VersionValue)) return fail('no such overload');
    return this.version.compare(other.version) === 0;
  }
}

const compare = (a: VersionValue, b: VersionValue): number => a.version.compare(b.version);

const comparison = (
  name: string,
  id: string,
  result: CelType,
  call: (a: VersionValue, b: VersionValue) => Value,
): FunctionDeclaration => costing(nominal, name, member(id, [versionType, versionType], result, call));

const number = (name: string, index: 0 | 1 | 2): FunctionDeclaration =>
  costing(
    nominal,
    name,
    member(`semver_${name}`, [versionType], int, ({ version }: VersionValue) =>
      int64(version.numbers[index]),
    ),
  );

const functions: readonly FunctionDeclaration[] = [
  costing(
    textArgument(),
    'semver',
    overload('string_to_semver', [string], versionType, toVersion),
    overload('string_bool_to_semver', [string, bool], versionType, toVersion),
  ),
  costing(
    textArgument(),
    'isSemver',
    overload('is_semver_string', [string], bool, isVersion),
    overload('is_semver_string_bool', [string, bool], bool, isVersion),
  ),
  comparison('isGreaterThan', 'semver_is_greater_than', bool, (a, b) => compare(a, b) > 0),
  comparison('isLessThan', 'semver_is_less_than', bool, (a, b) => compare(a, b) < 0),
  comparison('compareTo', 'semver_compare_to', int, compare),
  number('major', 0),
  number('minor', 1),
  number('patch', 2),
];

/** The functions of semantic versions. https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-semver-library */
export const semverLibrary: Library = { name: 'kubernetes.semver', functions };

const read = (text: string, tolerant: boolean): SemanticVersion =>
  tolerant ? SemanticVersion.parseTolerantly(text) : SemanticVersion.parse(text);

function toVersion(text: string, tolerant = false): VersionValue {
  try {
    return new VersionValue(read(text, tolerant));
  } catch (error) {
    if (error instanceof SemanticVersionError) return fail(error.message);
    throw error;
  }
}

function isVersion(text: string, tolerant = false): boolean {
  try {
    read(text, tolerant);
    return true;
  } catch (error) {
    if (error instanceof SemanticVersionError) return false;
    throw error;
  }
}

/** Converts a uint64 to an int64 as Go does: large values become negative. */
const int64 = (value: bigint): Integer => narrow(BigInt.asIntN(64, value));
