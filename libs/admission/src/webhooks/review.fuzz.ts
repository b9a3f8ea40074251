import { finish } from '@annex/machinery';
import { type FuzzTarget, orError, orErrorLater, jsonText } from '@annex/testkit';
import { CallError } from './call.ts';
import { readPatch } from './patch.ts';
import { type Review, readResponse } from './review.ts';

const review = { uid: 'u', version: 'v1', body: '' } satisfies Review;
const response = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: {
    uid: 'u',
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from('[{"op":"add","path":"/a","value":1}]').toString('base64'),
    warnings: ['w'],
    auditAnnotations: { k: 'v' },
    status: { code: 403, message: 'm', details: { causes: [{ field: 'f' }] } },
  },
};

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'admission-review',
    seeds: [
      JSON.stringify(response),
      JSON.stringify({ ...response, response: { uid: 'u', allowed: false } }),
      'kind: AdmissionReview\napiVersion: admission.k8s.io/v1\nresponse: {uid: u, allowed: false}\n',
    ],
    dictionary: [
      '"response"',
      '"status"',
      '"patch"',
      '"allowed"',
      'null',
      '[]',
      '{}',
      '"__proto__"',
      '"W10="',
    ],
    run: async (input) => {
      const text = jsonText(input);
      if (text === undefined) return;
      for (const mutating of [true, false]) {
        const read = await orErrorLater(() => readResponse(text, review, mutating), [Error, SyntaxError]);
        if (read instanceof Error || read.patch === undefined) continue;
        const { patch } = read;
        orError(() => finish(readPatch(patch, { webhook: { spec: { name: 'a' } } } as never)), [CallError]);
      }
    },
  },
];
