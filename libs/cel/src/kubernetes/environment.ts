import type { SizeEstimator } from '../costs/cost.ts';
import { Environment } from '../environment.ts';
import { listsLibrary } from '../extensions/lists.ts';
import { optionalsLibrary } from '../extensions/optionals.ts';
import { setsLibrary } from '../extensions/sets.ts';
import { stringsLibrary } from '../extensions/strings.ts';
import { twoVariablesLibrary } from '../extensions/two-variables.ts';
import { literalValidators } from '../functions/literal-validators.ts';
import { wholeMillisecondsLibrary } from '../functions/standard-times.ts';
import type { TypeProvider } from '../typing/declarations.ts';
import { optionalType, types } from '../typing/type.ts';
import { authorizerLibrary } from './authorizer.ts';
import { cidrLibrary } from './cidr.ts';
import { type DeclaredType, renameTypes } from './declared-type.ts';
import { equalityCosts } from './equality.ts';
import { isReserved } from './escaping.ts';
import { formatLibrary } from './format.ts';
import { ipLibrary } from './ip.ts';
import { kubernetesLanguage } from './language.ts';
import { kubernetesLists } from './lists.ts';
import { quantityLibrary } from './quantity.ts';
import { regexLibrary } from './regex.ts';
import { semverLibrary } from './semver.ts';
import { textCosts } from './texts.ts';
import { urlsLibrary } from './urls.ts';

/**
 * The environment shared by all expressions in Kubernetes. In 1.36 new expressions can use what stored ones can: every
 * function and setting exists since 1.34 at the latest, which is within the supported rollback range.
 */
export const kubernetesEnvironment = new Environment({
  libraries: [
    kubernetesLanguage,
    wholeMillisecondsLibrary,
    // Kubernetes adds them in this order. If several overloads match arguments of unknown types, the first one is called.
    urlsLibrary,
    regexLibrary,
    kubernetesLists,
    authorizerLibrary,
    optionalsLibrary,
    quantityLibrary,
    stringsLibrary(2),
    setsLibrary,
    ipLibrary,
    cidrLibrary,
    formatLibrary,
    twoVariablesLibrary,
    semverLibrary,
    listsLibrary,
    textCosts,
    equalityCosts,
  ],
  homogeneousLiterals: true,
  crossTypeComparisons: true,
  optionalSyntax: true,
  freePresenceTests: true,
  validators: literalValidators,
});

/** The maximum cost of one evaluation of a rule. Source: apiserver. */
export const maxCallCost = 1_000_000;
/** The maximum cost of all rules for one object. Source: apiserver. */
export const maxObjectCost = 10_000_000;

/** The cost limits of one evaluation, and of all evaluations for one object. */
export const runtimeCostLimits = { call: maxCallCost, object: maxObjectCost } as const;

/** The name of the type of `self` in error messages. */
const selfTypeName = 'selfType0';

/** Returns the environment of rules on values of a type: `self` and `oldSelf`, which can be optional. */
export function ruleEnvironment(self: DeclaredType, optionalOldSelf: boolean): Environment {
  const named = renameTypes(self, selfTypeName);
  const { celType } = named;
  return kubernetesEnvironment.extend({
    typeProviders: [declaredTypes(named)],
    variables: [
      { name: 'self', type: celType },
      { name: 'oldSelf', type: optionalOldSelf ? optionalType(celType) : celType },
    ],
  });
}

/** Provides the struct types that a type contains. */
export function declaredTypes(root: DeclaredType): TypeProvider {
  const named = new Map<string, DeclaredType>();
  collect(root, named);
  return {
    findType: (name) => named.get(name)?.celType,
    findField(typeName, field) {
      const fields = named.get(typeName)?.fields;
      return (fields?.get(field) ?? (isReserved(field) ? fields?.get(`__${field}__`) : undefined))?.celType;
    },
  };
}

function collect(type: DeclaredType, named: Map<string, DeclaredType>): void {
  if (type.element) collect(type.element, named);
  if (!type.fields) return;
  named.set(type.celType.name, type);
  for (const field of type.fields.values()) collect(field, named);
}

/** Returns the sizes that a schema limits, for values reached from a variable of its type. */
export function declaredSizes(root: DeclaredType): SizeEstimator {
  return ({ path }) => {
    if (path.length === 0) return undefined;
    let type: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      // kube-apiserver treats keys whose size is not limited as empty.
      if (step === '@keys')
        return type.celType.kind === 'map' ? { min: 0, max: type.maxKeyLength ?? 0 } : undefined;
      type = step === '@items' || step === '@values' ? type.element : fieldOf(type, step);
      if (!type) return undefined;
    }
    return { min: 0, max: type.maxElements };
  };
}

/** Returns the type of a field; values of unknown type in a map can be selected as fields too. */
function fieldOf({ fields, element }: DeclaredType, name: string): DeclaredType | undefined {
  return fields?.get(name) ?? (element?.celType === types.any ? element : undefined);
}
