import { validateDns1123Subdomain } from '@annex/machinery';
import type { Definition } from './resource-storage.ts';

/** Returns the errors of a group: of its name, and of contradicting resources. */
export function groupErrors(group: string, definitions: readonly Definition[]): string[] {
  return [
    ...validateDns1123Subdomain(group).map((why) => `group ${JSON.stringify(group)}: ${why}`),
    ...(group.includes('.')
      ? []
      : [`group ${JSON.stringify(group)}: must have a dot, as in library.example.com`]),
    ...(definitions.length === 0 ? [`${group}: no resources are defined`] : []),
    ...versionErrors(definitions),
    ...nameErrors(definitions),
  ];
}

/**
 * Returns the errors for names that two resources of a version share: discovery could not distinguish them.
 */
function nameErrors(definitions: readonly Definition[]): string[] {
  const known = new Map<string, string>();
  return definitions.flatMap(({ version, plural, kind, singular, shortNames = [] }) => {
    const names = new Set([plural, singular ?? kind.toLowerCase(), ...shortNames]);
    return [`kind ${kind}`, ...[...names].map((name) => `name ${name}`)].flatMap((name) => {
      const key = `${version} ${name}`;
      const other = known.get(key) ?? plural;
      known.set(key, other);
      return other === plural ? [] : [`${plural} and ${other} of ${version} both have the ${name}`];
    });
  });
}

/** Returns the errors of the versions of a group. */
function versionErrors(definitions: readonly Definition[]): string[] {
  const seen = new Set<string>();
  return definitions.flatMap(({ plural, version, storedAs }) => {
    const name = `${plural} ${version}`;
    const others = definitions.filter((other) => other.plural === plural && other.version !== version);
    if (seen.has(name)) return [`${name} is defined twice`];
    seen.add(name);
    if (storedAs === undefined) {
      const lost = others.some((other) => other.storedAs?.version !== version);
      return lost ? [`${plural}: all versions but one must be stored as that one`] : [];
    }
    return others.some((other) => other.version === storedAs.version)
      ? []
      : [`${name} is stored as ${storedAs.version}, which is not defined`];
  });
}
