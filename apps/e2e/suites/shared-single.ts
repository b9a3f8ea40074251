/**
 * Suites that run on the same single process, one after the other: they need no special options, and neither measure its memory nor expect an
 * empty server. The last ones have controllers.
 */
export const suitesOfSharedSingle = [
  'http-proxy-tutorial',
  'socks5-tutorial',
  'clients-validation',
  'hostile-input-numbers',
  'hostile-input-schemas',
  'hostile-input-paths',
  'hostile-input-identity',
  'one-reading',
  'attacks-in-frames',
  'attacks-on-extensions',
  'attacks-on-connections',
  'published-vulnerabilities-proxy',
  'hostile-input-transport',
  'hostile-input-load',
  'konnectivity-tokens',
  'kubectl-basics',
  'aggregation-old-openapi',
  'aggregation-hello-extension',
  'aggregation-sample-extension',
  'trace',
  'controllers',
  'controllers-quota',
];
