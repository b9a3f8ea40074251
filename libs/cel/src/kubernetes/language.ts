import type { Library } from '../functions/library.ts';
import { standardLibrary } from '../functions/standard.ts';

/** Newer than the language of Kubernetes. */
const unknownMacros = new Set(['existsOne']);

/** The language as Kubernetes has it: that of cel-go 0.26. */
export const kubernetesLanguage: Library = {
  ...standardLibrary,
  macros: standardLibrary.macros?.filter(({ name }) => !unknownMacros.has(name)) ?? [],
};
