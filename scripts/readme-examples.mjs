// Runs the examples of the packages: every ```ts block in the README of a package is a module that must not throw. They run one after the
// other in this process. `node scripts/readme-examples.mjs [libs/cel …]` runs some of them.
import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './install.mjs';

const scheme = 'readme-example:';
/** Imports of an example are resolved from the root folder. */
const parentURL = pathToFileURL(join(root, 'readme-example.ts')).href;

/** Returns the examples of a README by their URL, which contains the file and the line. */
function examplesOf(path) {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ 1: source, index }) => {
    const line = text.slice(0, index).split('\n').length + 1;
    return { url: `${scheme}${path}:${line}`, source };
  });
}

/** Returns the READMEs of packages, and whether each one must have an example. */
export const readmes = () => globSync('{libs,apps}/*/README.md', { cwd: root }).toSorted();

/** Runs the examples of READMEs. Returns the errors by URL; `undefined` for an example that passed. */
export async function runExamples(paths) {
  const examples = new Map(paths.flatMap(examplesOf).map(({ url, source }) => [url, source]));
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier.startsWith(scheme)) return { url: specifier, shortCircuit: true };
      return next(specifier, context.parentURL?.startsWith(scheme) ? { ...context, parentURL } : context);
    },
    load: (url, context, next) =>
      url.startsWith(scheme)
        ? { format: 'module-typescript', source: examples.get(url), shortCircuit: true }
        : next(url, context),
  });
  const outcomes = new Map();
  for (const url of examples.keys())
    outcomes.set(
      url,
      await import(url).then(
        () => undefined,
        (error) => error,
      ),
    );
  hooks.deregister();
  return outcomes;
}

if (process.argv[1] === import.meta.filename) {
  const chosen = process.argv.slice(2);
  const paths = readmes().filter(
    (path) => chosen.length === 0 || chosen.some((part) => path.startsWith(part)),
  );
  const outcomes = [...(await runExamples(paths))];
  for (const [url, error] of outcomes)
    process.stdout.write(
      `${error === undefined ? 'ok  ' : 'FAIL'} ${url}\n${error?.stack ? `${error.stack}\n` : ''}`,
    );
  const failed = outcomes.filter(([, error]) => error !== undefined).length;
  process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`);
  process.exit(failed === 0 ? 0 : 1);
}
