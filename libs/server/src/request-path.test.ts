import { documentedSteps } from '@annex/testkit';
import { expect, it } from 'vitest';
import { AdmissionChain } from './admission/chain.ts';
import { KindRegistry } from '@annex/kinds';
import { type RequestPathDeps, requestSteps } from './request-path.ts';
import { writeSteps } from './write-path.ts';

// Only the names of the steps are read: no step runs.
const instrument = { inc: () => undefined, observe: () => undefined };
const metrics = { counter: () => instrument, histogram: () => instrument };
const deps = { metrics, identityHeaders: [], routes: [] } as unknown as RequestPathDeps;

it('executes the request path in the documented order', () => {
  expect(requestSteps(deps).map((step) => step.name)).toEqual(documentedSteps('request'));
});

it('executes the write path in the documented order', () => {
  const kinds = new KindRegistry();
  expect(writeSteps({} as never, new AdmissionChain([], kinds), kinds).map((step) => step.name)).toEqual(
    documentedSteps('write'),
  );
});

it('removes identity headers after authentication and before anything can forward them', () => {
  const names = requestSteps(deps).map((step) => step.name);
  expect(names.indexOf('dropIdentityHeaders')).toBe(names.indexOf('authenticate') + 1);
  expect(names.at(-1)).toBe('dispatch');
});
