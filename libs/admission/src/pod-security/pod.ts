import type { JsonObject, KubeObject } from '@annex/machinery';

/** The fields of a pod or a pod template that the checks read. */
export interface PodLike {
  metadata?: { annotations?: Record<string, string> | null };
  spec: PodSpec;
}

export interface PodSpec {
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  os?: { name?: string };
  runtimeClassName?: string;
  securityContext?: PodSecurityContext;
  volumes?: JsonObject[] | null;
  initContainers?: Container[] | null;
  containers?: Container[] | null;
  ephemeralContainers?: Container[] | null;
}

/** The common fields of the security contexts of pods and containers. */
export interface SecurityContext {
  appArmorProfile?: { type?: string };
  seccompProfile?: { type?: string };
  seLinuxOptions?: { type?: string; user?: string; role?: string };
  runAsNonRoot?: boolean;
  runAsUser?: number | bigint;
  windowsOptions?: { hostProcess?: boolean };
}

interface PodSecurityContext extends SecurityContext {
  sysctls?: { name?: string }[] | null;
}

interface ContainerSecurityContext extends SecurityContext {
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[] | null; drop?: string[] | null };
  privileged?: boolean;
  procMount?: string;
}

export interface Container {
  name: string;
  image?: string;
  ports?: { hostPort?: number }[] | null;
  securityContext?: ContainerSecurityContext;
  livenessProbe?: Handler;
  readinessProbe?: Handler;
  startupProbe?: Handler;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
}

/** A probe or lifecycle hook that can name a host. */
export interface Handler {
  httpGet?: { host?: string };
  tcpSocket?: { host?: string };
}

/** Returns all containers of a pod. */
export const containersOf = ({ initContainers, containers, ephemeralContainers }: PodSpec): Container[] => [
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...(ephemeralContainers ?? []),
];

const template = ({ spec }: KubeObject): PodLike | undefined =>
  (spec as { template?: PodLike } | undefined)?.template;

/** Returns the pod or pod template of an object, by resource; absent for other resources. */
export const podOf: Readonly<Record<string, (object: KubeObject) => PodLike | undefined>> = {
  '/pods': (pod) => pod as unknown as PodLike,
  '/podtemplates': (object) => (object as unknown as { template?: PodLike }).template,
  '/replicationcontrollers': template,
  'apps/daemonsets': template,
  'apps/deployments': template,
  'apps/replicasets': template,
  'apps/statefulsets': template,
  'batch/cronjobs': ({ spec }) =>
    (spec as { jobTemplate?: { spec?: { template?: PodLike } } } | undefined)?.jobTemplate?.spec?.template,
  'batch/jobs': template,
};
