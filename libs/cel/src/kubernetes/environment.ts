import type { SizeEstimator } from '../costs/cost.ts';
import { exactly } from '../costs/range.ts';
import { Environment } from '../environment.ts';
import { listsLibrary } from '../extensions/lists.ts';
import { optionalsLibrary } from '../extensions/optionals.ts';
import { setsLibrary } from '../extensions/sets.ts';
import { stringsLibrary } from '../extensions/strings.ts';
import { twoVariablesLibrary } from '../extensions/two-variables.ts';
import { literalValidators } from '../functions/literal-validators.ts';
import { wholeMillisecondsLibrary } from '../functions/standard-times.ts';
import type { TypeProvider } from '../typing/declarations.ts';
import { optionalType } from '../typing/type.ts';
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
 * What expressions of Kubernetes can use everywhere. In 1.36 new expressions may use what stored ones may: every function and
 * setting is there since 1.34 at the latest, which is within the versions that a server must be able to go back to.
 */
export const kubernetesEnvironment = new Environment({
  libraries: [
    kubernetesLanguage,
    wholeMillisecondsLibrary,
    // In the order in which Kubernetes adds them: of overloads that fit arguments of unknown types, the first one decides.
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

/** What one evaluation of a rule may cost. Source: apiserver. */
export const maxCallCost = 1_000_000;
/** What all rules may cost for one object. Source: apiserver. */
export const maxObjectCost = 10_000_000;

/** What an expression may cost when it is evaluated, and what all that are evaluated for one object may cost together. */
export const runtimeCostLimits = { call: maxCallCost, object: maxObjectCost } as const;

/** What errors call the type of `self`. */
const selfTypeName = 'selfType0';

/** The environment of rules on values of a type: `self`, and `oldSelf`, which may be absent if it is optional. */
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

/** The types with fields that a type is made of. */
function declaredTypes(root: DeclaredType): TypeProvider {
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

/** Tells the sizes that a schema bounds, of what is reached from a variable of its type. */
export function declaredSizes(root: DeclaredType): SizeEstimator {
  return ({ path }) => {
    if (path.length === 0) return undefined;
    let type: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      // Keys have no bound of their own in a schema, and are taken for empty.
      if (step === '@keys') return type.celType.kind === 'map' ? exactly(0) : undefined;
      type = step === '@items' || step === '@values' ? type.element : type.fields?.get(step);
      if (!type) return undefined;
    }
    return { min: 0, max: type.maxElements };
  };
}
