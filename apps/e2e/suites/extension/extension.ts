import type { RunningProcess } from '@annex/testkit';

/** What an extension API server is started with. */
export interface ExtensionSetting {
  /** A folder for what it keeps over restarts. */
  folder: string;
  port: number;
  /** The access of its service account. */
  kubeconfig: string;
  /** Files of its serving certificate. */
  certificate: string;
  key: string;
}

/** An extension API server that the shared promises are checked on. */
export interface Extension {
  name: string;
  group: string;
  version: string;
  /** Further versions that are registered, with less priority. */
  otherVersions?: readonly string[];
  resource: string;
  kind: string;
  /** The namespace and the name of its Service. */
  namespace: string;
  service: string;
  serviceAccount: string;
  /** The field of the spec that `kubectl explain` describes, and words of the description. */
  documented: { field: string; words: string };
  /** A valid spec. */
  spec: Record<string, unknown>;
  /** What its own documentation says to create before the APIService; YAML. */
  manifests: string;
  start(setting: ExtensionSetting): Promise<RunningProcess>;
}
