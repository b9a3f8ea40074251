import type { TurnRequest } from './h2-client.ts';

/** A request whose turns are measured; a watch if it waits for bytes. */
export interface TurnRow extends TurnRequest {
  name: string;
  /** Bytes after which a watch ends. */
  watched?: number;
  /** The body has the text `VERSION` instead of the object's resourceVersion. */
  needsVersion?: boolean;
  /** Requests before it and after it, which are not measured. */
  before?: readonly TurnRequest[];
  after?: readonly TurnRequest[];
  /** Status of the response. Default: one of success. */
  expected?: number;
  /** How long the server works on afterwards. */
  waitMs?: number;
}

/** Media types of requests and responses. */
export const media = {
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  metadataList: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  merge: 'application/merge-patch+json',
  jsonPatch: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
  openApiV2: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  openApiV3: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
} as const;
