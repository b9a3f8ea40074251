import type { JsonObject, KubeObject } from '@annex/machinery';

/** The fields of a pod that the plugin reads. */
export interface PodSpec {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: Named[] | null;
  volumes?: Volume[] | null;
  initContainers?: Container[] | null;
  containers?: Container[] | null;
  ephemeralContainers?: Container[] | null;
}

export interface Named {
  name?: string;
}

export interface Volume {
  name: string;
  secret?: { secretName?: string };
  projected?: { sources?: JsonObject[] | null };
}

export interface Container {
  name: string;
  env?: { name: string; valueFrom?: { secretKeyRef?: Named } }[] | null;
  envFrom?: { secretRef?: Named }[] | null;
  volumeMounts?: JsonObject[] | null;
}

export interface ServiceAccount extends KubeObject {
  secrets?: Named[] | null;
  imagePullSecrets?: Named[] | null;
  automountServiceAccountToken?: boolean;
}
