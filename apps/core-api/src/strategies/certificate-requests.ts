import { isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import { type KindExtension, restore } from '@annex/server';

/** Certificate requests say who made them, and are decided through a subresource of their own. */
export const certificateRequests: KindExtension = {
  strategy: {
    resetFields: [['spec'], ['status']],
    prepareForCreate(request, { user }) {
      const spec = (isObject(request.spec) ? request.spec : {}) as JsonObject;
      request.spec = {
        ...spec,
        username: user.name,
        groups: [...user.groups],
        ...(user.uid ? { uid: user.uid } : {}),
        ...(Object.keys(user.extra).length > 0 ? { extra: structuredClone(user.extra) } : {}),
      };
    },
    prepareForUpdate(request, old) {
      restore(request, old, 'spec');
    },
  },
  subresources: {
    status: { resetFields: [['spec'], ['status', 'conditions']] },
    approval: {
      resetFields: [['spec'], ['status', 'certificate']],
      write(sent, parent): KubeObject {
        const status = { ...(isObject(parent.status) ? parent.status : {}) } as JsonObject;
        const conditions = isObject(sent.status) ? sent.status.conditions : undefined;
        if (conditions === undefined) delete status.conditions;
        else status.conditions = conditions;
        return { ...parent, metadata: sent.metadata, status };
      },
    },
  },
};
