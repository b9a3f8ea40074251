import type { KubeObject } from '@annex/machinery';

/** `spec.service` of an APIService. */
export interface ServiceReference {
  namespace: string;
  name: string;
  port?: number;
}

/** `status.conditions[]` of an APIService. */
export interface ApiServiceCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** An APIService of `apiregistration.k8s.io/v1`: who serves one version of one group. */
export interface ApiService extends KubeObject {
  spec: {
    group?: string;
    version: string;
    service?: ServiceReference | null;
    caBundle?: string;
    insecureSkipTLSVerify?: boolean;
    groupPriorityMinimum: number;
    versionPriority: number;
  };
  status?: { conditions?: ApiServiceCondition[] };
}

/** An APIService that names a service: requests to it are proxied. */
export type RemoteApiService = ApiService & { spec: { service: ServiceReference } };

/** Where APIServices are kept. */
export const apiServicesPrefix = '/registry/apiregistration.k8s.io/apiservices/';

export const apiServiceName = (gv: { group: string; version: string }): string => `${gv.version}.${gv.group}`;

export const groupOf = (apiService: ApiService): string => apiService.spec.group ?? '';

export const isRemote = (apiService: ApiService): apiService is RemoteApiService =>
  apiService.spec.service !== undefined && apiService.spec.service !== null;

/** The port that kube contacts: 443 where the reference names none. */
export const portOf = (service: ServiceReference): number => service.port ?? 443;

export const availableCondition = (apiService: ApiService): ApiServiceCondition | undefined =>
  apiService.status?.conditions?.find((condition) => condition.type === 'Available');

/** The condition that every local APIService has from its creation on. */
export const localCondition = (now: string): ApiServiceCondition => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: now,
  reason: 'Local',
  message: 'Local APIServices are always available',
});
