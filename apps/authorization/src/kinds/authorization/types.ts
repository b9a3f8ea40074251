/** `spec` of the access reviews, as clients send it. Every member may be absent. */
export interface AccessReviewSpec {
  user?: string;
  groups?: string[] | null;
  uid?: string;
  extra?: Record<string, string[]> | null;
  resourceAttributes?: ResourceAttributes | null;
  nonResourceAttributes?: { path?: string; verb?: string } | null;
}

export interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: SelectorAttributes | null;
  labelSelector?: SelectorAttributes | null;
}

/** Selectors of the request that the review is about. */
export interface SelectorAttributes {
  rawSelector?: string;
  requirements?: SelectorRequirement[] | null;
}

export interface SelectorRequirement {
  key?: string;
  operator?: string;
  values?: string[] | null;
}
