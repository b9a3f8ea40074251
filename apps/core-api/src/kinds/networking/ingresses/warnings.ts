import { onCreate } from '../../shared/warnings.ts';

const ingressClass = 'kubernetes.io/ingress.class';

/** Warns of the annotation that preceded `ingressClassName`. */
export const ingressWarnings = onCreate(({ metadata }) =>
  metadata.annotations?.[ingressClass] === undefined
    ? []
    : [`annotation "${ingressClass}" is deprecated, please use 'spec.ingressClassName' instead`],
);
