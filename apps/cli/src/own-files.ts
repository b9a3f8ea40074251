import { registerHooks } from 'node:module';

/**
 * Finds the files of this repository from now on without asking the file system what an import leads to: `./x.ts` is that
 * file, and TypeScript. Node looks for links and for the package.json of each of the 700, a quarter of the time of loading them.
 */
export function resolveOwnFilesFast(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (!isOwn.test(specifier)) return next(specifier, context);
      const { href } = new URL(specifier, context.parentURL);
      return { url: href, format: 'module-typescript', shortCircuit: true };
    },
  });
}

// Packages of others have no TypeScript to load.
const isOwn = /^\.\.?\/.*\.ts$/;
