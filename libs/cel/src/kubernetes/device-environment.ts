import type { Passes } from '@annex/machinery';
import { estimateCostInPasses } from '../costs/estimator.ts';
import type { Environment } from '../environment.ts';
import { bindingsLibrary } from '../extensions/bindings.ts';
import { type CelType, mapType, structType, types } from '../typing/type.ts';
import type { DeclaredType } from './declared-type.ts';
import { declaredSizes, declaredTypes, kubernetesEnvironment } from './environment.ts';
import { quantityType } from './quantity.ts';

/** The maximum cost of one evaluation of a selector of devices. Source: kube-apiserver. */
export const maxSelectorCost = 1_000_000;

/** Limits of the API: attributes and capacities of a device; bytes of a domain, an identifier, a value and a driver. */
const [mostValues, domainBytes, identifierBytes, valueBytes, driverBytes] = [32, 63, 32, 64, 63];

const scalar = (celType: CelType, maxElements: number): DeclaredType => ({
  celType,
  maxElements,
  minSerializedSize: 0,
});

const mapOf = (element: DeclaredType, maxKeyLength: number): DeclaredType => ({
  ...scalar(mapType(types.string, element.celType), mostValues),
  element,
  maxKeyLength,
});

/** Values by domain and identifier. */
const byName = (value: DeclaredType): DeclaredType => mapOf(mapOf(value, identifierBytes), domainBytes);

const deviceType: DeclaredType = {
  ...scalar(structType('kubernetes.DRADevice'), 0),
  fields: new Map([
    ['driver', scalar(types.string, driverBytes)],
    ['allowMultipleAllocations', scalar(types.bool, 1)],
    ['attributes', byName(scalar(types.any, valueBytes))],
    ['capacity', byName(scalar(quantityType, 0))],
  ]),
};

/** The environment of selectors of devices: `device`. Source: "Dynamic Resource Allocation" in the Kubernetes documentation. */
export const deviceEnvironment: Environment = kubernetesEnvironment.extend({
  libraries: [bindingsLibrary],
  typeProviders: [declaredTypes(deviceType)],
  variables: [{ name: 'device', type: deviceType.celType }],
});

const deviceSizes = declaredSizes(deviceType);

/** Compiles a selector and estimates its cost, in passes over it. Throws a `CompileError`. */
export function* compileSelector(expression: string): Passes<{ type: CelType; maxCost: number }> {
  const checked = yield* deviceEnvironment.compileInPasses(expression);
  const { max: maxCost } = yield* estimateCostInPasses(checked, deviceEnvironment, deviceSizes);
  return { type: checked.resultType, maxCost };
}
