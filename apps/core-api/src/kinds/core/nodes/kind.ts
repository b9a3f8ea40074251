import type { ServerDeps } from '@annex/server';
import { fieldText } from '../../shared/selectable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { proxied } from '../shared/proxy.ts';
import { nodeColumns } from './columns.ts';
import { nodeDefaults } from './defaults.ts';
import { checkNode } from './proxy-target.ts';
import { validateNode, validateNodeUpdate } from './validation.ts';

export const nodes = (deps: ServerDeps): BuiltinKind => ({
  group: '',
  resource: 'nodes',
  defaults: nodeDefaults,
  validation: { object: validateNode, update: validateNodeUpdate },
  strategy: {
    allowUnconditionalUpdate: true,
    takesNewStatus: true,
  },
  cells: nodeColumns,
  selectableFields: new Map([['spec.unschedulable', fieldText('spec.unschedulable', 'false')]]),
  subresources: { proxy: proxied(deps, 'node', checkNode) },
});
