import { Query } from '@annex/machinery';
import type { FlowRequest } from './flow-request.ts';

/** Returns a request of the user `jane`, who is in the group `g`; a GET of a resource if not changed. */
export const flowRequest = (info: Partial<FlowRequest['info']> = {}): FlowRequest => ({
  user: { name: 'jane', groups: ['g'] },
  info: {
    isResourceRequest: true,
    path: '/',
    verb: 'get',
    apiGroup: '',
    apiVersion: 'v1',
    namespace: '',
    resource: 'pods',
    subresource: '',
    name: '',
    ...info,
  },
  query: Query.none,
});
