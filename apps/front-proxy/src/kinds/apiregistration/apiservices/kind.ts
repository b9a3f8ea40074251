import { type ApiService, availableCondition, isRemote, localCondition } from '@annex/aggregation';
import {
  allMetadata,
  builtinKinds,
  type ExtendedKind,
  type ResourceKind,
  statusEndpoint,
  type Strategy,
  type TypeDefaults,
} from '@annex/kinds';
import { type KubeObject, nameIsPathSegment, tableOf } from '@annex/machinery';
import { validateApiService, validateApiServiceStatus } from './validation.ts';

export const apiRegistrationGroup = 'apiregistration.k8s.io';

const asApiService = (object: KubeObject): ApiService => object as ApiService;

/** Returns the kinds of `apiregistration.k8s.io/v1`. `now` returns the current time in RFC 3339, for the condition of local APIServices. */
export function apiServiceKinds(now: () => string): ResourceKind[] {
  const apiServices: ExtendedKind = {
    group: apiRegistrationGroup,
    resource: 'apiservices',
    defaults,
    strategy: apiServiceStrategy(now),
    cells: { Service: (object) => serviceCell(asApiService(object)), Available: availableCell },
    subresources: {
      status: {
        ...statusEndpoint({ keeps: allMetadata }),
        validate: (updated) => validateApiServiceStatus(asApiService(updated).status?.conditions),
      },
    },
  };
  const kinds = builtinKinds((group) => group === apiRegistrationGroup, [apiServices]);
  for (const kind of kinds) {
    kind.repeatsColumns = true;
    kind.columns = kind.columns.map((column) => ({
      ...column,
      description: descriptions.get(column.name) ?? column.description,
    }));
  }
  return kinds;
}

const types = 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1';
const defaults: TypeDefaults = {
  [`${types}.ServiceReference`]: { port: 443 },
  [`${types}.APIServiceCondition`]: { lastTransitionTime: null },
};

const descriptions = tableOf({
  Service: 'The reference to the service that hosts this API endpoint.',
  Available: 'Whether this service is available.',
});

const apiServiceStrategy = (now: () => string): Strategy => ({
  validateName: nameIsPathSegment,
  metaChecks: { asUpdate: 1, asWhole: 1, standardFinalizers: false },
  prepareForCreate(object: KubeObject) {
    const apiService = complete(object);
    apiService.status = isRemote(apiService) ? {} : { conditions: [localCondition(now())] };
  },
  prepareForUpdate(object: KubeObject, old: KubeObject) {
    const apiService = complete(object);
    const { status } = asApiService(old);
    if (status === undefined) delete apiService.status;
    else apiService.status = status;
  },
  validateCreate: (object: KubeObject) => validateApiService(asApiService(object)),
  validateUpdate: (object: KubeObject) => validateApiService(asApiService(object)),
});

/** Adds the members of an APIService that Go's types always encode. */
function complete(object: KubeObject): ApiService {
  object.spec ??= { version: '', groupPriorityMinimum: 0, versionPriority: 0 };
  const { spec } = asApiService(object);
  if (spec.service === null) delete spec.service;
  if (spec.caBundle === null || spec.caBundle === '') delete spec.caBundle;
  spec.groupPriorityMinimum ??= 0;
  spec.versionPriority ??= 0;
  return asApiService(object);
}

const serviceCell = (apiService: ApiService): string =>
  isRemote(apiService) ? `${apiService.spec.service.namespace}/${apiService.spec.service.name}` : 'Local';

function availableCell(object: KubeObject): string {
  const condition = availableCondition(asApiService(object));
  if (condition === undefined) return 'Unknown';
  return condition.status !== 'True' && condition.reason
    ? `${condition.status} (${condition.reason})`
    : condition.status;
}
