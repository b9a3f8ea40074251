import type { UserInfo } from '@annex/auth';
import type { Query } from '@annex/machinery';

/** What requests are classified by. */
export interface FlowRequest {
  user: Pick<UserInfo, 'name' | 'groups'>;
  info: {
    isResourceRequest: boolean;
    path: string;
    verb: string;
    apiGroup: string;
    apiVersion: string;
    namespace: string;
    resource: string;
    subresource: string;
    name: string;
  };
  query: Query;
}
