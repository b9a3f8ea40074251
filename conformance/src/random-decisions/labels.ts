export const zoneLabel = 'topology.kubernetes.io/zone';

export const zones = ['z1', 'z2', 'z3'];

/** The applications of Pods: labels and images. */
export const apps = ['a', 'b', 'c'];
