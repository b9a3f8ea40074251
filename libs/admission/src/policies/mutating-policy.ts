import {
  checkObjectNames,
  configurationParts,
  configurationType,
  type Environment,
  Failure,
  jsonPatchType,
  listType,
  mutationJson,
  MutationObject,
  type Value,
} from '@annex/cel';
import {
  applyJsonPatchInPasses,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type Passes,
  StatusError,
} from '@annex/machinery';
import { mergeConfiguration, type NativeJson, NativeValue } from '@annex/schema';
import { causeText } from '../mutated.ts';
import { asJson, type ResourceKind } from '@annex/kinds';
import { type Activation, Budget, compileExpression, evaluate, type Expression } from './expression.ts';
import { activationOf, compilePolicy, maxPolicyCost, type PolicyExpressions } from './policy.ts';
import type { MutatingPolicySpec, Mutation } from './policy-spec.ts';

/** A compiled MutatingAdmissionPolicy. */
export interface MutatingPolicy extends PolicyExpressions {
  mutations: readonly CompiledMutation[];
}

export interface CompiledMutation extends Expression {
  patchType: Mutation['patchType'];
}

/** Compiles a policy, in passes of one expression. */
export function* compileMutatingPolicy(spec: MutatingPolicySpec): Passes<MutatingPolicy> {
  const policy = yield* compilePolicy(spec);
  const mutations: CompiledMutation[] = [];
  for (const mutation of spec.mutations ?? []) {
    mutations.push({
      patchType: mutation.patchType,
      ...(yield* compileMutation(policy.mutationEnvironment, mutation)),
    });
    yield;
  }
  return { ...policy, mutations };
}

/**
 * Compiles the expression of a mutation in passes. It must return an apply configuration or a list of JSON patch
 * operations.
 */
export const compileMutation = (
  environment: Environment,
  { patchType, jsonPatch, applyConfiguration }: Mutation,
): Passes<Expression> =>
  patchType === 'JSONPatch'
    ? compileExpression(environment, jsonPatch?.expression ?? '', [listType(jsonPatchType)])
    : compileExpression(environment, applyConfiguration?.expression ?? '', [configurationType]);

/** A mutation that cannot be applied; the message is that of kube-apiserver. */
export class MutationError extends Error {}

/**
 * Applies one mutation in passes and returns the changed object without decoding its fields. Throws
 * {@link MutationError}.
 */
export function* mutateBy(
  { variables }: MutatingPolicy,
  mutation: CompiledMutation,
  provided: Activation,
  object: KubeObject,
  schema: ResourceKind['schema'],
): Passes<KubeObject> {
  if (mutation.error !== undefined) throw new MutationError(mutation.error);
  const budget = new Budget(maxPolicyCost);
  const outcome = yield* evaluate(mutation, activationOf(variables, provided, budget), budget);
  if ('error' in outcome) throw new MutationError(outcome.error);
  yield;
  return yield* convertError(
    mutation.patchType === 'JSONPatch'
      ? patched(outcome.value, object)
      : configured(outcome.value, object, schema),
  );
}

/** Types that the OpenAPI document of their own version does not contain: kube-apiserver cannot merge them. */
const typesWithoutSchema = new Set([
  'autoscaling/v1, Kind=Scale',
  'authentication.k8s.io/v1, Kind=TokenRequest',
]);

function* configured(value: Value, object: KubeObject, schema: ResourceKind['schema']): Passes<KubeObject> {
  requireMatchingType(value);
  const configuration = configurationParts(value, nativeValue) as { [name: string]: NativeJson };
  const { apiVersion, kind } = object;
  const named = { ...configuration, ...(apiVersion ? { apiVersion } : {}), ...(kind ? { kind } : {}) };
  try {
    const type = `${apiVersion}, Kind=${kind}`;
    if (typesWithoutSchema.has(type)) {
      throw new Error(`failed to convert patch object to typed object: no corresponding type for ${type}`);
    }
    return yield* mergeConfiguration(object, named, schema.root);
  } catch (error) {
    throw new MutationError(`error applying patch: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns a null or bytes as kube-apiserver's messages show them. */
function nativeValue(value: null | Uint8Array, json: JsonValue): NativeValue {
  if (value === null) return new NativeValue(json, 'NULL_VALUE', '0');
  const bytes = [...value];
  const hexadecimal = bytes.map((byte) => `0x${byte.toString(16)}`).join(', ');
  return new NativeValue(json, `[${bytes.join(' ')}]`, `[]uint8{${hexadecimal}}`);
}

function* patched(value: Value, object: KubeObject): Passes<KubeObject> {
  const operations: JsonObject[] = [];
  for (const operation of value as readonly Value[]) {
    operations.push(operationOf(operation));
    yield;
  }
  try {
    const result = yield* applyJsonPatchInPasses(asJson(object), operations);
    if (!isObject(result)) throw new MutationError('JSON Patch: the patched object is not an object');
    return result as unknown as KubeObject;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const why = causeText(error);
    // A patch with a failed test operation does not apply to this object.
    if (why.endsWith('test failed')) return object;
    throw new MutationError(`JSON Patch: ${why}`, { cause: error });
  }
}

function operationOf(operation: Value): JsonObject {
  const { fields } = operation as MutationObject;
  const value = fields.get('value');
  if (value instanceof MutationObject) requireMatchingType(value, value.type.name);
  const from = fields.get('from');
  return {
    op: String(fields.get('op') ?? ''),
    path: String(fields.get('path') ?? ''),
    ...(from ? { from: String(from) } : {}),
    ...(value === undefined ? {} : { value: mutationJson(value) }),
  };
}

function requireMatchingType(value: Value, root?: string): void {
  try {
    checkObjectNames(value, root);
  } catch (error) {
    throw error instanceof Failure ? new MutationError(`type mismatch: ${error.message}`) : error;
  }
}

function* convertError<T>(passes: Passes<T>): Passes<T> {
  try {
    return yield* passes;
  } catch (error) {
    throw error instanceof Failure ? new MutationError(error.message) : error;
  }
}
