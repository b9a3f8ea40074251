import type { Library } from '../functions/library.ts';
import { standardLibrary } from '../functions/standard.ts';

/** Macros that are newer than the language version of Kubernetes. */
const unknownMacros = new Set(['existsOne']);

/** The standard library in the version of Kubernetes, cel-go 0.26. */
export const kubernetesLanguage: Library = {
  ...standardLibrary,
  macros: standardLibrary.macros?.filter(({ name }) => !unknownMacros.has(name)) ?? [],
};
