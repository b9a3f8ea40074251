import type { JsonObject } from '@annex/machinery';
import type { ResourceDiscovery } from './discovery-source.ts';

/** The input of the published schemas of a kind. */
export interface PublishedKind {
  group: string;
  version: string;
  kind: string;
  listKind: string;
  plural: string;
  /** Its structural schema; any object if absent. */
  schema?: JsonObject | undefined;
  /** Paths of the selectable fields. */
  selectableFields?: readonly string[] | undefined;
}

/** A kind with a structural schema in one version, as OpenAPI documents describe it. */
export interface CustomKind {
  /** A changed kind is another object. */
  readonly published: PublishedKind;
  /** Absent while the kind is not served. */
  readonly resource?: ResourceDiscovery | undefined;
}
