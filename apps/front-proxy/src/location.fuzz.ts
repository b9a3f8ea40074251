import { type FuzzTarget, latin1Text, orError } from '@annex/testkit';
import { BadLocation, rewriteLocation } from './location.ts';

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'location',
    seeds: ['/a/b?c=d#e', 'https://10.0.0.1:443/x', 'https://other/x', ':x', '//10.0.0.1:443/%zz', 'a:b'],
    dictionary: ['https://', '10.0.0.1:443', '//', '%', '?', '#', ':'],
    maxBytes: 512,
    run(input) {
      orError(() => rewriteLocation(latin1Text(input), { host: '10.0.0.1', port: 443 }), [BadLocation]);
    },
  },
];
