import type { Plugin } from './plugin.ts';

/** An extension point, as configurations name it. */
export interface ExtensionPoint {
  readonly name: ExtensionPointName;
  /** The function of a plugin that implements the point. */
  readonly method: keyof Plugin;
  /** The name in kube-scheduler's errors. */
  readonly type: string;
}

export type ExtensionPointName =
  | 'preEnqueue'
  | 'queueSort'
  | 'preFilter'
  | 'filter'
  | 'postFilter'
  | 'preScore'
  | 'score'
  | 'reserve'
  | 'permit'
  | 'preBind'
  | 'bind'
  | 'postBind';

/** The points in the order in which kube-scheduler fills and checks them. */
export const extensionPoints: readonly ExtensionPoint[] = [
  { name: 'preFilter', method: 'preFilter', type: 'PreFilterPlugin' },
  { name: 'filter', method: 'filter', type: 'FilterPlugin' },
  { name: 'postFilter', method: 'postFilter', type: 'PostFilterPlugin' },
  { name: 'reserve', method: 'reserve', type: 'ReservePlugin' },
  { name: 'preScore', method: 'preScore', type: 'PreScorePlugin' },
  { name: 'score', method: 'score', type: 'ScorePlugin' },
  { name: 'preBind', method: 'preBind', type: 'PreBindPlugin' },
  { name: 'bind', method: 'bind', type: 'BindPlugin' },
  { name: 'postBind', method: 'postBind', type: 'PostBindPlugin' },
  { name: 'permit', method: 'permit', type: 'PermitPlugin' },
  { name: 'preEnqueue', method: 'preEnqueue', type: 'PreEnqueuePlugin' },
  { name: 'queueSort', method: 'less', type: 'QueueSortPlugin' },
];

export const extendsPoint = (plugin: Plugin, { method }: ExtensionPoint): boolean =>
  typeof plugin[method] === 'function';
