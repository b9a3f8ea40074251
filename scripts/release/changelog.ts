const unreleased = '## Unreleased\n';

/** Makes the section of unreleased changes that of a version. Throws if it is empty or missing. */
export function releaseChanges(changelog: string, version: string, date: string): string {
  const at = changelog.indexOf(unreleased);
  if (at < 0 || changesOf(changelog, 'Unreleased') === '')
    throw new Error('CHANGELOG.md has no changes below "## Unreleased": describe what users will notice.');
  const heading = `## ${version} (${date})\n`;
  return `${changelog.slice(0, at)}${unreleased}\n${heading}${changelog.slice(at + unreleased.length)}`;
}

/** The text below the heading of a version; empty if there is none. */
export function changesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/[ \n]/, 1)[0] === version) ?? '';
  return section.slice(section.indexOf('\n') + 1).trim();
}
