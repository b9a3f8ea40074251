import {
  goCount,
  type GoFields,
  goList,
  goPointer,
  goStruct,
  goStructPointer,
  goText,
  type GoValue,
  isObject,
} from '@annex/machinery';

const selectors = goList(goStruct([['CEL', 'cel', goStructPointer([['Expression', 'expression', goText]])]]));
const tolerations = goList(
  goStruct([
    ['Key', 'key', goText],
    ['Operator', 'operator', goText],
    ['Value', 'value', goText],
    ['Effect', 'effect', goText],
    ['TolerationSeconds', 'tolerationSeconds', goPointer],
  ]),
);
const capacity = goStructPointer([['Requests', 'requests', goPointer]]);

const classFields: GoFields = [
  ['DeviceClassName', 'deviceClassName', goText],
  ['Selectors', 'selectors', selectors],
  ['AllocationMode', 'allocationMode', goText],
  ['Count', 'count', goCount],
];
const exactly = goStructPointer([
  ...classFields,
  ['AdminAccess', 'adminAccess', goPointer],
  ['Tolerations', 'tolerations', tolerations],
  ['Capacity', 'capacity', capacity],
]);
const alternative = goStruct([
  ['Name', 'name', goText],
  ...classFields,
  ['Tolerations', 'tolerations', tolerations],
  ['Capacity', 'capacity', capacity],
]);
const request = goStruct([
  ['Name', 'name', goText],
  ['Exactly', 'exactly', exactly],
  ['FirstAvailable', 'firstAvailable', goList(alternative)],
]);
const constraint = goStruct([
  ['Requests', 'requests', goPointer],
  ['MatchAttribute', 'matchAttribute', goPointer],
  ['DistinctAttribute', 'distinctAttribute', goPointer],
]);
const opaque = goStructPointer([
  ['Driver', 'driver', goText],
  ['Parameters', 'parameters', goPointer],
]);
const configuration = goStruct([
  ['Requests', 'requests', goPointer],
  ['Opaque', 'opaque', opaque],
]);
const devices = goStruct([
  ['Requests', 'requests', goList(request)],
  ['Constraints', 'constraints', goList(constraint)],
  ['Config', 'config', goList(configuration)],
]);

/** Returns the Go value of the spec of a claim. */
export const goClaimSpec: GoValue = goStruct([['Devices', 'devices', devices]]);

/** Returns the Go value of the spec of a template: its metadata has JSON names, and no name of its own. */
export const goTemplateSpec: GoValue = (value) => {
  const { metadata, spec } = isObject(value) ? value : {};
  return { ...(isObject(metadata) ? metadata : {}), Spec: goClaimSpec(spec) };
};
