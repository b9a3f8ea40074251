import { isObject, type KubeObject, Quantity } from '@annex/machinery';
import { matchesValue, type QuotaEvaluator } from './evaluator.ts';
import { resourceList } from './resource-list.ts';

interface Claim extends KubeObject {
  spec?: {
    storageClassName?: string;
    volumeAttributesClassName?: string;
    resources?: { requests?: unknown };
  };
  status?: {
    allocatedResources?: unknown;
    currentVolumeAttributesClassName?: string;
    modifyVolumeStatus?: { targetVolumeAttributesClassName?: string };
  };
}

const count = 'count/persistentvolumeclaims';
const plain = ['persistentvolumeclaims', 'requests.storage'];
/** Separates the name of a storage class from the name of an amount. */
const ofClass = '.storageclass.storage.k8s.io/';

/** Counts PersistentVolumeClaims and the storage that they request, in total and by storage class. */
export const volumeClaims: QuotaEvaluator = {
  group: '',
  resource: 'persistentvolumeclaims',
  handles: ({ operation, subresource }) =>
    subresource === '' || (subresource === 'status' && operation === 'UPDATE'),
  measures: (name) =>
    name === count || plain.some((one) => name === one || name.endsWith(`${ofClass}${one}`)),
  usage(claim: Claim) {
    const used = new Map([
      ['persistentvolumeclaims', Quantity.of(1)],
      [count, Quantity.of(1)],
    ]);
    const storageClass = storageClassOf(claim);
    if (storageClass !== '') used.set(`${storageClass}${ofClass}persistentvolumeclaims`, Quantity.of(1));
    const storage = storageOf(claim);
    if (storage === undefined) return used;
    used.set('requests.storage', storage);
    if (storageClass !== '') used.set(`${storageClass}${ofClass}requests.storage`, storage);
    return used;
  },
  inScope(claim: Claim, requirement) {
    if (requirement.scopeName !== 'VolumeAttributesClass') return false;
    const classes = attributesClasses(claim);
    if (classes.length === 0) return matchesValue(requirement, undefined);
    return classes.some((name) => matchesValue(requirement, name));
  },
  // Updates of the status also affect the usage.
  frees: () => true,
};

const storageClassOf = ({ metadata, spec }: Claim): string =>
  metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';

/** Returns the requested or allocated storage, whichever is larger, in whole bytes. */
function storageOf({ spec, status }: Claim): Quantity | undefined {
  const requested = resourceList(spec?.resources?.requests).get('storage');
  if (requested === undefined) return undefined;
  const allocated = isObject(status?.allocatedResources)
    ? resourceList(status.allocatedResources).get('storage')
    : undefined;
  const whole = wholeBytes(requested);
  return allocated !== undefined && allocated.compare(whole) > 0 ? wholeBytes(allocated) : whole;
}

function wholeBytes(amount: Quantity): Quantity {
  const rounded = Quantity.of(amount.value(), amount.format);
  return rounded.compare(amount) === 0 ? amount : rounded;
}

const attributesClasses = ({ spec, status }: Claim): string[] =>
  [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined && name !== '') as string[];
