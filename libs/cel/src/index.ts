export { partsOf } from './syntax/descendants.ts';
export { type Comprehension, type Expr } from './syntax/expr.ts';
export { type Issue, type Location, Source } from './syntax/source.ts';
export { unparse } from './syntax/unparse.ts';
export { type Macro, type MacroBuilder } from './syntax/macro.ts';
export { CompileError, EvaluationError, fail, Failure } from './errors.ts';
export {
  CelType,
  listType,
  mapType,
  nullableType,
  opaqueType,
  optionalType,
  structType,
  type TypeKind,
  typeOfType,
  typeParam,
  types,
} from './typing/type.ts';
export {
  type ConstantDeclaration,
  type FunctionDeclaration,
  type Implementation,
  type Overload,
  type TypeProvider,
  type VariableDeclaration,
} from './typing/declarations.ts';
export { type CheckedExpr, type ParsedExpr, type Reference } from './typing/checked.ts';
export {
  double,
  Double,
  Instance,
  ListValue,
  MapValue,
  StructValue,
  TypeValue,
  Uint,
  type Value,
} from './values/value.ts';
export {
  type CallCost,
  type CallEstimate,
  type CostCall,
  type CostNode,
  type SizeEstimator,
} from './costs/cost.ts';
export { estimateCost, estimateCostInPasses } from './costs/estimator.ts';
export { baseCosts, costFactors } from './costs/factors.ts';
export {
  addRanges,
  exactly,
  multiplyRanges,
  type Range,
  scaleRange,
  spanRanges,
  unbounded,
  unknownRange,
} from './costs/range.ts';
export { sizeOf } from './costs/size.ts';
export type { Library, Validator } from './functions/library.ts';
export { Environment, type EnvironmentOptions } from './environment.ts';
export { bindingsLibrary } from './extensions/bindings.ts';
export { encodersLibrary } from './extensions/encoders.ts';
export { listsLibrary } from './extensions/lists.ts';
export { mathLibrary } from './extensions/math.ts';
export { optionalsLibrary } from './extensions/optionals.ts';
export { setsLibrary } from './extensions/sets.ts';
export { stringsLibrary } from './extensions/strings.ts';
export { twoVariablesLibrary } from './extensions/two-variables.ts';
export { literalValidators } from './functions/literal-validators.ts';
export {
  PausedEvaluation,
  Program,
  type EvaluationResult,
  type ProgramOptions,
} from './evaluation/program.ts';
export { pauseEvaluation } from './evaluation/pause.ts';
export { standardLibrary } from './functions/standard.ts';
export { wholeMillisecondsLibrary } from './functions/standard-times.ts';
export { Duration, parseDuration, parseTimestamp, Timestamp } from './values/time.ts';
export { Optional } from './values/optional.ts';
export { declare, member, overload } from './typing/declare.ts';
export type { TypedSchema } from './kubernetes/typed-schema.ts';
export { type DeclaredType, declaredType, maxRequestBytes } from './kubernetes/declared-type.ts';
export {
  declaredSizes,
  kubernetesEnvironment,
  ruleEnvironment,
  runtimeCostLimits,
} from './kubernetes/environment.ts';
export { escapeName } from './kubernetes/escaping.ts';
export { isBase64, isDate, isDateTime, isTextDuration } from './kubernetes/text-formats.ts';
export { type View, viewOf } from './kubernetes/typed-value.ts';
export {
  type AdmissionVariables,
  admissionEnvironment,
  LazyVariables,
} from './kubernetes/admission-environment.ts';
export { compileSelector, deviceEnvironment, maxSelectorCost } from './kubernetes/device-environment.ts';
export { authorizationEnvironment } from './kubernetes/authorization-environment.ts';
export { claimsEnvironment, claimsValue, userEnvironment } from './kubernetes/authentication-environment.ts';
export {
  type AuthorizationCheck,
  type AuthorizationDecision,
  AuthorizerValue,
  type DecideCheck,
  ResourceCheck,
  type ResourceToCheck,
} from './kubernetes/authorizer.ts';
export {
  checkObjectNames,
  configurationType,
  jsonPatchType,
  configurationParts,
  mutationJson,
  MutationObject,
} from './kubernetes/mutation-types.ts';
export { compilePattern, maxPatternLength, patternTooLarge } from './functions/pattern.ts';
export { isLongSearch, testInPasses } from './regex/search.ts';
