import { OperatorError } from './error-codes.ts';

/**
 * The oldest supported release of each supported major version of Node: the first one that withstands the attacks on HTTP
 * that the end-to-end suites try. docs/decisions/0013-the-version-of-node.md names those that crash older releases.
 */
export const oldestNodes = ['22.23.0', '24.17.0', '26.10.0'] as const;

const oldestNodesText = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(oldestNodes);

/** The supported versions, as in `engines` of package.json. */
export const supportedNodes = oldestNodes.map((version) => `^${version}`).join(' || ');

/** Returns the error for a Node that Annex does not support. */
export function nodeVersionError(version = process.versions.node): OperatorError | undefined {
  if (oldestNodes.some((oldest) => isLaterRelease(version, oldest))) return undefined;
  return new OperatorError(
    'NODE_VERSION_UNSUPPORTED',
    `this is Node ${version}; Annex requires Node ${oldestNodesText}, or a later release of one of these major versions`,
  );
}

/** Throws OperatorError if Annex does not support this Node. */
export function requireSupportedNode(): void {
  const error = nodeVersionError();
  if (error !== undefined) throw error;
}

/** True for the release itself and later ones of the same major version. */
function isLaterRelease(version: string, oldest: string): boolean {
  const [major, minor, patch] = numbersOf(version);
  const [oldestMajor, oldestMinor, oldestPatch] = numbersOf(oldest);
  if (major !== oldestMajor) return false;
  return minor > oldestMinor || (minor === oldestMinor && patch >= oldestPatch);
}

function numbersOf(version: string): [major: number, minor: number, patch: number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return [major, minor, patch];
}
