import type { Library } from '../functions/library.ts';
import { boundName } from '../functions/standard-macros.ts';

/** `cel.bind(name, value, result)`: the value is evaluated on first use, and at most once. */
export const bindingsLibrary: Library = {
  name: 'bindings',
  macros: [
    {
      name: 'bind',
      member: true,
      args: 3,
      expand(build, [variable, value, result], target) {
        if (target?.kind !== 'ident' || target.name !== 'cel') return undefined;
        const name = boundName(build, variable!, 'cel.bind() variable names must be simple identifiers');
        return build.bind(name, value!, result!);
      },
    },
  ],
};
