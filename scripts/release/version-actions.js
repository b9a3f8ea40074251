// How `nx release` reads and writes versions. `@nx/js` does it for every package manager, and would bring 156 packages.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { VersionActions } from 'nx/release';

/** Writes the new versions into the lock file, too. */
export function afterAllProjectsVersioned(cwd, { dryRun }) {
  if (!dryRun) {
    const args = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', args, { cwd, stdio: ['ignore', 2, 2] });
  }
  return { changedFiles: dryRun ? [] : ['package-lock.json'], deletedFiles: [] };
}

/** The packages of the workspace depend on each other by `*`, so only their own versions change. */
export default class PackageJsonVersions extends VersionActions {
  validManifestFilenames = ['package.json'];
  excludeManifestsFromFormatting = true;

  readCurrentVersionFromSourceManifest(tree) {
    const manifestPath = join(this.projectGraphNode.data.root, 'package.json');
    return { currentVersion: JSON.parse(tree.read(manifestPath, 'utf8')).version, manifestPath };
  }

  readCurrentVersionFromRegistry() {
    return null;
  }

  readCurrentVersionOfDependency() {
    return { currentVersion: null, dependencyCollection: null };
  }

  updateProjectVersion(tree, version) {
    return this.manifestsToUpdate.map(({ manifestPath }) => {
      const manifest = { ...JSON.parse(tree.read(manifestPath, 'utf8')), version };
      tree.write(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`);
      return `${manifestPath}: ${version}`;
    });
  }

  updateProjectDependencies() {
    return [];
  }
}
