/** Returns whether a text is a version of semver.org 2.0.0: `1.0.0-rc.1+build`. Its numbers have no limit, unlike those of CEL. */
export function isSemanticVersion(text: string): boolean {
  const [precedence = '', build, ...more] = text.split('+');
  if (more.length > 0 || (build !== undefined && !build.split('.').every(isIdentifier))) return false;
  const dash = precedence.indexOf('-');
  const core = dash === -1 ? precedence : precedence.slice(0, dash);
  const numbers = core.split('.');
  if (numbers.length !== 3 || !numbers.every(isNumber)) return false;
  if (dash === -1) return true;
  return precedence
    .slice(dash + 1)
    .split('.')
    .every((part) => isIdentifier(part) && (isNumber(part) || !/^[0-9]+$/.test(part)));
}

const isIdentifier = (text: string): boolean => text !== '' && !/[^0-9A-Za-z-]/.test(text);
const isNumber = (text: string): boolean => /^[0-9]+$/.test(text) && (text === '0' || !text.startsWith('0'));
