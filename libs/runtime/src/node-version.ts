import { OperatorError } from './error-codes.ts';

/**
 * The oldest supported Node. Earlier releases of its major version drop headers after the 1,000th silently, so that a
 * request can hide its `Impersonate-User` header from the server.
 */
export const oldestNodeVersion = '24.21.0';

/** Returns the error for an untested Node: an older release, or another major version. */
export function nodeVersionError(version = process.versions.node): OperatorError | undefined {
  const [major, minor, patch] = numbersOf(version);
  const [testedMajor, oldestMinor, oldestPatch] = numbersOf(oldestNodeVersion);
  const isRecent = minor > oldestMinor || (minor === oldestMinor && patch >= oldestPatch);
  if (major === testedMajor && isRecent) return undefined;
  return new OperatorError(
    'NODE_VERSION_UNSUPPORTED',
    `this is Node ${version}; Annex requires Node ${oldestNodeVersion} or a later release of Node ${testedMajor}`,
  );
}

/** Throws OperatorError if Annex is not tested with this Node. */
export function requireSupportedNode(): void {
  const error = nodeVersionError();
  if (error !== undefined) throw error;
}

function numbersOf(version: string): [major: number, minor: number, patch: number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return [major, minor, patch];
}
