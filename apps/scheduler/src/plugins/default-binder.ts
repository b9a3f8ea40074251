import { builtInPlugin } from '../framework/plugin.ts';
import { failed } from '../framework/status.ts';

/** Binds Pods by the subresource `binding`. */
export const defaultBinder = builtInPlugin('DefaultBinder', (_args, { api }) => ({
  async bind(_cycle, pod, node) {
    try {
      await api.bind(pod, node);
      return undefined;
    } catch (error) {
      return failed((error as Error).message);
    }
  },
}));
