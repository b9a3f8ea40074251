import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { isObject } from '@annex/machinery';
import { tagOfImage } from './image-reference.ts';
import { claimSpecDefaults } from '../../core/persistentvolumeclaims/defaults.ts';

/** Returns `Always` for images whose tag is `latest`, as kubelet pulls them. */
export const pullPolicyOf = (image: unknown): 'Always' | 'IfNotPresent' =>
  tagOfImage(typeof image === 'string' ? image : '') === 'latest' ? 'Always' : 'IfNotPresent';

const container: Default = (value) =>
  setAbsent(value, {
    imagePullPolicy: pullPolicyOf(value.image),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });

const podSpec: Default = (spec) => {
  setAbsent(spec, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  });
  // `serviceAccount` is the old name of `serviceAccountName`; both are set.
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account) Object.assign(spec, { serviceAccount: account, serviceAccountName: account });
};

const volume: Default = (value) => {
  if (Object.keys(value).every((field) => field === 'name')) value.emptyDir = {};
  if (isObject(value.image)) setAbsent(value.image, { pullPolicy: pullPolicyOf(value.image.reference) });
};

const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const fileMode = { defaultMode: 0o644 };

/** The default type of a path on the host, also in persistent volumes. */
export const hostPathDefaults = { type: '' };

/** The defaults of the spec of a pod, also in templates. */
export const podSpecDefaults: TypeDefaults = {
  'io.k8s.api.core.v1.Container': container,
  'io.k8s.api.core.v1.EphemeralContainer': container,
  'io.k8s.api.core.v1.ConfigMapVolumeSource': fileMode,
  'io.k8s.api.core.v1.DownwardAPIVolumeSource': fileMode,
  'io.k8s.api.core.v1.HTTPGetAction': { path: '/', scheme: 'HTTP' },
  'io.k8s.api.core.v1.HostPathVolumeSource': hostPathDefaults,
  'io.k8s.api.core.v1.ObjectFieldSelector': { apiVersion: 'v1' },
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec': claimSpecDefaults,
  'io.k8s.api.core.v1.PodSpec': podSpec,
  'io.k8s.api.core.v1.Probe': probe,
  'io.k8s.api.core.v1.ProjectedVolumeSource': fileMode,
  'io.k8s.api.core.v1.SecretVolumeSource': fileMode,
  'io.k8s.api.core.v1.ServiceAccountTokenProjection': { expirationSeconds: 3600 },
  'io.k8s.api.core.v1.Volume': volume,
};
