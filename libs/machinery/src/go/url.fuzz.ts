import {
  bothRefuse,
  type FuzzTarget,
  goJson,
  hasNewerCharacter,
  latin1Text,
  orError,
  utf8Text,
} from '@annex/testkit';
import { goQuote } from './quote.ts';
import { parseQuery } from './query.ts';
import { parseRequestTarget } from './request-target.ts';
import { parseUrl, UrlError } from './url.ts';
import { bytesOfText, textOfBytes } from './bytes.ts';

const urls = [
  '/api/v1/namespaces/a/pods?labelSelector=a%3Db&limit=5',
  'https://user:pa%20ss@[fe80::1%25eth0]:8443/a%2Fb;c?x=1&y#frag',
  '//host/path',
  'mailto:a@b',
  '*',
  '/a/../b//c?%zz',
  'http://[::1]:namedport/',
  '?',
];
const words = [
  '%2F',
  '%00',
  '%zz',
  '://',
  '//',
  '..',
  '?',
  '#',
  '&',
  '=',
  ';',
  '+',
  '[::1]',
  '%25',
  '@',
  ':',
  'a%C3%A9',
];

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'url',
    go: 'url',
    deviates: bothRefuse,
    seeds: urls,
    dictionary: words,
    maxBytes: 256,
    run(input) {
      const url = orError(() => parseUrl(textOfBytes(input)), [UrlError]);
      if (url instanceof Error) return `error: ${url.message}`;
      const parts = [url.scheme, url.host, url.path, url.rawQuery, url.escapedPath, url.text];
      return parts.every((part) => part.isWellFormed()) ? goJson(parts) : undefined;
    },
  },
  {
    name: 'request-target',
    go: 'request-target',
    seeds: urls,
    dictionary: words,
    maxBytes: 512,
    run(input) {
      const target = latin1Text(input);
      const read = orError(() => parseRequestTarget('GET', target), [UrlError]);
      if (read instanceof Error) return 'error';
      const parts = [read.path, read.uri];
      return parts.every((part) => part.isWellFormed()) ? goJson(parts) : undefined;
    },
  },
  {
    name: 'url-query',
    go: 'url-query',
    deviates: hasNewerCharacter,
    seeds: ['a=b&c=d%20e&a=f', '&&=&a', 'a;b=1&c', '%zz=1&b', 'a=%C3%28', '?a=b'],
    dictionary: words,
    maxBytes: 512,
    run(input) {
      const query = parseQuery(textOfBytes(input));
      const reread = parseQuery(query.toString());
      if (reread.toString() !== query.toString()) throw new Error(`written as ${query.toString()}`);
      const entries = [...query.toMap()].sort(([a], [b]) => Buffer.compare(bytesOfText(a), bytesOfText(b)));
      if (
        entries.some(
          ([name, values]) => !name.isWellFormed() || values.some((value) => !value.isWellFormed()),
        )
      )
        return;
      return entries.map(([name, values]) => `${goQuote(name)}=${goJson(values)}\n`).join('');
    },
  },
  {
    name: 'quote',
    go: 'quote',
    deviates: hasNewerCharacter,
    seeds: ['plain', 'tab\tquote"back\\', 'é\u2028\u{1f600}\u0000\x7f', '\u00ad\ufeff\ue000'],
    maxBytes: 64,
    run(input) {
      const text = utf8Text(input);
      return Buffer.from(text).equals(Buffer.from(input)) ? goQuote(text) : undefined;
    },
  },
];
