import { type FuzzTarget, utf8Text } from '@annex/testkit';
import { NoProxy } from './no-proxy.ts';

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'no-proxy',
    seeds: [
      'example.com,.svc,*.local\nhook.ns.svc\n443',
      '10.0.0.0/8,::1,[fe80::1]:443\n10.1.2.3\n443',
      '*\na\n80',
      'localhost:8080, a:80 ,,\na\n80',
    ],
    dictionary: [',', '*.', '/8', '/128', '::', '[', ']:', '0.0.0.0/0', ':443'],
    maxBytes: 512,
    run(input) {
      const [list = '', host = '', port = ''] = utf8Text(input).split('\n');
      const isExcluded = new NoProxy(list).excludes(host, port);
      const each = list.split(',').some((entry) => new NoProxy(entry).excludes(host, port));
      if (each !== isExcluded) throw new Error('the list has another meaning than its entries');
      const more = new NoProxy(`${list},other.example`).excludes(host, port);
      if (isExcluded && !more) throw new Error('a further entry includes what the list excludes');
      if (!new NoProxy(`${list},*`).excludes(host, port))
        throw new Error('a star does not exclude everything');
    },
  },
];
