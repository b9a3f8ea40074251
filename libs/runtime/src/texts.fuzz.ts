import { type FuzzTarget, utf8Text } from '@annex/testkit';
import { readOptionValue } from './option-value.ts';
import { redact, redactText } from './redact.ts';

const types = ['string', 'int', 'bool', 'duration', 'list', 'map', 'path', 'repeated'] as const;

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'redaction',
    seeds: [
      'Authorization: Bearer abc.def.ghi',
      '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
      'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln',
      '{"token":"x"}',
    ],
    dictionary: ['Bearer ', 'bearer ', 'PRIVATE KEY-----', '-----BEGIN ', 'eyJ', '.eyJ', '.'],
    maxBytes: 1024,
    run(input) {
      const text = utf8Text(input);
      redactText(text);
      redact({ [text]: text, token: text, nested: { authorization: text, list: [text] } });
    },
  },
  {
    name: 'options',
    seeds: ['1h30m', 'a=b,c=d', 'a,b', 'true', '-12'],
    maxBytes: 256,
    run(input) {
      for (const type of types) readOptionValue(type, utf8Text(input));
    },
  },
];
