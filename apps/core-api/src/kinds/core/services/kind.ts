import type { ServerDeps } from '@annex/server';
import { fieldSelectors } from '../../shared/selectable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { proxied } from '../shared/proxy.ts';
import { serviceColumns } from './columns.ts';
import { serviceDefaults } from './defaults.ts';
import type { IpRange } from './ip-range.ts';
import { checkEndpoints } from './proxy-target.ts';
import { serviceSpec } from './spec.ts';
import { serviceStatus } from './status.ts';
import { serviceStrategy } from './strategy.ts';
import { addressChangeErrors, loadBalancerChangeErrors, validateService } from './validation.ts';
import { serviceWarnings } from './warnings.ts';

export const services = (deps: ServerDeps, range: IpRange): BuiltinKind => ({
  group: '',
  resource: 'services',
  defaults: serviceDefaults,
  validation: {
    create: validateService,
    update: (service, old) => [
      ...addressChangeErrors(serviceSpec(service), serviceSpec(old)),
      ...loadBalancerChangeErrors(serviceSpec(service), serviceSpec(old)),
      ...validateService(service),
    ],
  },
  strategy: serviceStrategy(deps, range),
  warnings: serviceWarnings,
  cells: serviceColumns,
  selectableFields: fieldSelectors('spec.clusterIP', 'spec.type'),
  subresources: { proxy: proxied(deps, 'service', checkEndpoints), status: serviceStatus },
});
