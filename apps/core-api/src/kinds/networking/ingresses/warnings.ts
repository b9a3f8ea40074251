import { onCreate } from '../../shared/warnings.ts';

const ingressClass = 'kubernetes.io/ingress.class';

/** Warns about the annotation that `ingressClassName` replaced. */
export const ingressWarnings = onCreate(({ metadata }) =>
  metadata.annotations?.[ingressClass] === undefined
    ? []
    : [`annotation "${ingressClass}" is deprecated, please use 'spec.ingressClassName' instead`],
);
