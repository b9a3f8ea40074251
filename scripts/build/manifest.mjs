import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { supportedNodes } from '../../libs/runtime/src/node-version.ts';

const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

/** The package.json of a published package, made from the one in the repository. */
export function publishedManifest(root, { name, folder, typed = [], external = [], format, reexports }) {
  const { version, description, license, type, bin, keywords } = readJson(root, folder, 'package.json');
  const { packages } = readJson(root, 'package-lock.json');
  // Set in the package.json of the repository only.
  const { repository = repositoryOf(process.env), homepage, bugs } = readJson(root, 'package.json');
  const libraries = external.map((library) => [library, packages[`node_modules/${library}`].version]);
  return {
    name,
    version,
    description,
    keywords,
    license,
    repository: repository && { ...repository, directory: folder },
    homepage,
    bugs,
    type,
    bin,
    exports: reexports ? exportsOf(['index'], 'cjs') : exportsOf(typed, format),
    engines: { node: supportedNodes },
    // Not the compile cache of a command that ran in the folder. npm adds README, LICENSE and package.json.
    files: ['bin', 'data', 'dist', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES.txt'],
    dependencies: Object.fromEntries(reexports ? [['annex', version]] : libraries),
    publishConfig: { access: 'public' },
  };
}

/** The repository of a workflow of GitHub: npm accepts the provenance of a package only with the repository that it was built in. */
const repositoryOf = ({ GITHUB_REPOSITORY, GITHUB_SERVER_URL }) =>
  GITHUB_REPOSITORY && { type: 'git', url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` };

/** `index` is the package itself, other entries are paths below it. With the format `cjs`, CommonJS callers get the same classes. */
function exportsOf(entries, format) {
  const exported = entries.map((entry) => [
    entry === 'index' ? '.' : `./${entry}`,
    {
      types: `./dist/${entry}.d.ts`,
      ...(format === 'cjs' ? { require: `./dist/${entry}.cjs` } : {}),
      default: `./dist/${entry}.js`,
    },
  ]);
  return Object.fromEntries([...exported, ['./package.json', './package.json']]);
}
