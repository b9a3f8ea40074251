import { registerHooks, type ResolveFnOutput } from 'node:module';

/**
 * Resolves imports of this repository without the file system: `./x.ts` is that file, and TypeScript, and `@annex/x` is resolved once. Node
 * would look for links and the package.json of each of the 1,000 files, which is a quarter of their loading time.
 */
export function resolveOwnFilesFast(): void {
  const packages = new Map<string, ResolveFnOutput>();
  registerHooks({
    resolve(specifier, context, next) {
      if (isOwnFile.test(specifier)) {
        const { href } = new URL(specifier, context.parentURL);
        return { url: href, format: 'module-typescript', shortCircuit: true };
      }
      if (specifier.startsWith('node:')) return { url: specifier, format: 'builtin', shortCircuit: true };
      if (!isOwnPackage.test(specifier)) return next(specifier, context);
      const known = packages.get(specifier);
      if (known !== undefined) return known;
      const { url, format } = next(specifier, context);
      const resolved = { url, format, shortCircuit: true };
      packages.set(specifier, resolved);
      return resolved;
    },
  });
}

// Third-party packages contain no TypeScript.
const isOwnFile = /^\.\.?\/.*\.ts$/;
const isOwnPackage = /^@annex\/[a-z-]+$/;
