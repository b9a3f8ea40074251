/**
 * What a path and method ask for, as apimachinery's RequestInfo.
 * Source: k8s.io/apiserver/pkg/endpoints/request (documented under "Request Verbs" of the authorization page).
 */
export interface RequestInfo {
  isResourceRequest: boolean;
  path: string;
  /** get, list, watch, create, update, patch, delete, deletecollection; or the lower-case method for other paths. */
  verb: string;
  /** `api` or `apis` for resource requests. */
  apiPrefix: string;
  apiGroup: string;
  apiVersion: string;
  namespace: string;
  resource: string;
  subresource: string;
  name: string;
  /** The path segments from the resource on. */
  parts: string[];
}
