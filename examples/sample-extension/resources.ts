import {
  defineResource,
  type ExtensionRequest,
  type FieldError,
  fieldErrors,
  type KubeObject,
} from '@annex/sdk';

// The API of the sample-apiserver of Kubernetes: two versions of flunders, one of fischers, and fischers that list disallowed names of
// flunders. https://github.com/kubernetes/sample-apiserver

/** A struct that is not a pointer in Go is always encoded. */
const status = { type: 'object', properties: {}, default: {} } as const;

const referenceType = { type: 'string', title: 'ReferenceType' } as const;

/** The differences of flunders, in both versions, from most kinds. */
const asInGo = {
  kind: 'Flunder',
  // Their status is an ordinary field, and they have no generation.
  status: false,
  generation: false,
  admit: refuseBannedNames,
} as const;

export const fischers = defineResource({
  version: 'v1alpha1',
  kind: 'Fischer',
  scope: 'Cluster',
  deprecationWarning: 'wardle.example.com/v1alpha1 Fischer is deprecated in v1.3+, unavailable in v1.10+',
  generation: false,
  schema: {
    type: 'object',
    properties: {
      disallowedFlunders: {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-list-type': 'atomic',
        description: 'DisallowedFlunders holds a list of Flunder.Names that are disallowed.',
      },
    },
  },
});

async function refuseBannedNames(
  { metadata }: KubeObject,
  old: unknown,
  request: ExtensionRequest,
): Promise<void> {
  if (old !== undefined) return;
  const { name = '' } = metadata;
  const all = await request.objects.list(fischers);
  if (all.some(({ disallowedFlunders }) => disallowedFlunders?.includes(name))) {
    throw request.forbidden('this name may not be used, please change the resource name');
  }
}

/** A flunder refers to another flunder, or to a fischer. */
interface Spec {
  flunderReference?: string;
  fischerReference?: string;
  referenceType?: string;
}

export const flunders = defineResource({
  ...asInGo,
  version: 'v1beta1',
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        default: {},
        properties: {
          flunderReference: {
            type: 'string',
            description: 'A name of another flunder, mutually exclusive to the FischerReference.',
          },
          fischerReference: {
            type: 'string',
            description: 'A name of a fischer, mutually exclusive to the FlunderReference.',
          },
          referenceType: { ...referenceType, description: 'The reference type.' },
        },
      },
      status,
    },
  },
  // Updates are not validated.
  validate: ({ spec }, old) => (old === undefined ? problems(spec) : []),
  storedAs: {
    version: 'v1alpha1',
    to: (flunder) => ({ ...flunder, spec: toAlpha(flunder.spec) }),
    from: (flunder) => ({ ...flunder, spec: toBeta(flunder.spec as AlphaSpec), status: {} }),
  },
});

interface AlphaSpec {
  reference?: string;
  referenceType?: string | null;
}

export const alphaFlunders = defineResource({
  ...asInGo,
  version: 'v1alpha1',
  deprecationWarning: 'wardle.example.com/v1alpha1 Flunder is deprecated in v1.3+, unavailable in v1.10+',
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        default: {},
        properties: {
          reference: {
            type: 'string',
            description: 'A name of another flunder or fischer, depending on the reference type.',
          },
          referenceType: {
            ...referenceType,
            nullable: true,
            description: 'The reference type, defaults to "Flunder" if reference is set.',
          },
        },
      },
      status,
    },
  },
  setDefaults(flunder) {
    const { reference, referenceType } = flunder.spec;
    // Values that the other version does not have are lost.
    flunder.spec = toAlpha(
      toBeta({ reference, referenceType: referenceType || (reference ? 'Flunder' : '') }),
    );
  },
  validate: ({ spec }, old) => (old === undefined ? problems(toBeta(spec)) : []),
});

// Empty strings are left out when an object is encoded, as in Go.
const toBeta = ({ reference = '', referenceType }: AlphaSpec): Spec => {
  if (referenceType === 'Flunder') return { flunderReference: reference, referenceType };
  if (referenceType === 'Fischer') return { fischerReference: reference, referenceType };
  return {};
};

const toAlpha = ({ flunderReference = '', fischerReference = '', referenceType }: Spec): AlphaSpec => {
  if (referenceType === 'Flunder') return { reference: flunderReference, referenceType };
  if (referenceType === 'Fischer') return { reference: fischerReference, referenceType };
  return {};
};

function problems({
  flunderReference: flunder = '',
  fischerReference: fischer = '',
  referenceType: type = '',
}: Spec) {
  const invalid = (field: string, value: string, why: string) =>
    fieldErrors.invalid(`spec.${field}`, value, why);
  const errors: FieldError[] = [];
  if (flunder !== '' && fischer !== '')
    errors.push(invalid('fischerReference', fischer, 'cannot be set with flunderReference at the same time'));
  else if (flunder !== '' && type !== 'Flunder')
    errors.push(invalid('flunderReference', flunder, 'cannot be set if referenceType is not Flunder'));
  else if (fischer !== '' && type !== 'Fischer')
    errors.push(invalid('fischerReference', fischer, 'cannot be set if referenceType is not Fischer'));
  else if (fischer === '' && type === 'Fischer')
    errors.push(invalid('fischerReference', fischer, 'cannot be empty if referenceType is Fischer'));
  else if (flunder === '' && type === 'Flunder')
    errors.push(invalid('flunderReference', flunder, 'cannot be empty if referenceType is Flunder'));
  if (!['', 'Flunder', 'Fischer'].includes(type))
    errors.push(invalid('referenceType', type, 'must be Flunder or Fischer'));
  return errors;
}
