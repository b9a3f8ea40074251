import type { RunningProcess } from '@annex/testkit';

/** The settings of an extension API server. */
export interface ExtensionSetting {
  /** A folder for data that is kept over restarts. */
  folder: string;
  port: number;
  /** The kubeconfig of its service account. */
  kubeconfig: string;
  /** Files of its serving certificate. */
  certificate: string;
  key: string;
}

/** An extension API server that is tested with the shared promises. */
export interface Extension {
  name: string;
  group: string;
  version: string;
  /** Additional registered versions, with lower priority. */
  otherVersions?: readonly string[];
  resource: string;
  kind: string;
  /** The namespace and the name of its Service. */
  namespace: string;
  service: string;
  serviceAccount: string;
  /** The field of the spec that `kubectl explain` describes, and a part of the description. */
  documented: { field: string; words: string };
  /** A valid spec. */
  spec: Record<string, unknown>;
  /** Objects that its documentation creates before the APIService; YAML. */
  manifests: string;
  start(setting: ExtensionSetting): Promise<RunningProcess>;
}
