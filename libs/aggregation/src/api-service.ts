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

/** An APIService of `apiregistration.k8s.io/v1`: names the server of one group-version. */
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

/** An APIService with a service: its requests are forwarded. */
export type RemoteApiService = ApiService & { spec: { service: ServiceReference } };

/** The prefix of the keys of APIServices. */
export const apiServicesPrefix = '/registry/apiregistration.k8s.io/apiservices/';

export const apiServiceName = (gv: { group: string; version: string }): string => `${gv.version}.${gv.group}`;

export const groupOf = (apiService: ApiService): string => apiService.spec.group ?? '';

export const isRemote = (apiService: ApiService): apiService is RemoteApiService =>
  apiService.spec.service !== undefined && apiService.spec.service !== null;

/** Returns the port of a service reference. Default: 443. */
export const portOf = (service: ServiceReference): number => service.port ?? 443;

export const availableCondition = (apiService: ApiService): ApiServiceCondition | undefined =>
  apiService.status?.conditions?.find((condition) => condition.type === 'Available');

/** Returns the condition that every local APIService has at its creation. */
export const localCondition = (now: string): ApiServiceCondition => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: now,
  reason: 'Local',
  message: 'Local APIServices are always available',
});
