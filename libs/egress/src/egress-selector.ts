import { aggregateText, ConfigurationError } from '@annex/auth';
import { fieldErrorText, goQuote } from '@annex/machinery';
import {
  type Dial,
  type EgressSelector,
  type EgressType,
  type Metrics,
  OperatorError,
  readOptionFile,
} from '@annex/runtime';
import { type EgressSelection, readEgressConfiguration } from './configuration.ts';
import { type Connector, connectorOf, EgressError } from './connectors.ts';
import { egressMetrics } from './metrics.ts';
import { validateEgressConfiguration } from './validate.ts';

/** An egress selector whose connections to proxy servers end with it. */
export interface ConfiguredEgress extends EgressSelector {
  close(): void;
}

/** Opens the egress selector of a configuration file. Throws OperatorError FILE_UNREADABLE. */
export async function openEgressSelector(file: string, metrics: Metrics): Promise<ConfiguredEgress> {
  const text = await readOptionFile(file);
  try {
    return await createEgressSelector(text, metrics);
  } catch (cause) {
    const { message } = cause as Error;
    throw new OperatorError('FILE_UNREADABLE', `--egress-selector-config-file ${file}: ${message}`, {
      cause,
    });
  }
}

/** Creates the egress selector of a configuration. Rejects with `ConfigurationError` and kube-apiserver's text. */
export async function createEgressSelector(text: string, metrics: Metrics): Promise<ConfiguredEgress> {
  const configuration = await readEgressConfiguration(text).catch((cause: Error) => {
    throw new ConfigurationError(`failed to read egress selector config: ${cause.message}`);
  });
  const errors = validateEgressConfiguration(configuration);
  if (errors.length > 0)
    throw new ConfigurationError(
      `failed to validate egress selector configuration: ${aggregateText(errors.map(fieldErrorText))}`,
    );
  const connectors = new Map<string, Connector>();
  const dialers = new Map<string, Dial>();
  for (const selection of configuration.egressSelections) {
    const connector = openConnector(selection, metrics);
    if (connector === undefined) continue;
    const name = selection.name.toLowerCase();
    connectors.set(name, connector);
    dialers.set(name, counted(connector, metrics));
  }
  return {
    dialerFor: (type: EgressType) => dialers.get(type),
    hopTo: (type: EgressType) => connectors.get(type)?.hop,
    close() {
      for (const connector of connectors.values()) connector.close();
    },
  };
}

/** kube-apiserver's text contains the configuration as a value of Go, with addresses of its memory. */
function openConnector(selection: EgressSelection, metrics: Metrics): Connector | undefined {
  try {
    return connectorOf(selection, metrics);
  } catch (cause) {
    const name = goQuote(selection.name.toLowerCase());
    throw new ConfigurationError(
      `failed to setup egress selector: failed to create dialer for egressSelection ${name}: ${(cause as Error).message}`,
    );
  }
}

function counted(connector: Connector, metrics: Metrics): Dial {
  const { protocol, transport } = connector;
  const counts = egressMetrics(metrics, { protocol, transport });
  return async (to) => {
    const began = performance.now();
    counts.started();
    try {
      const connection = await connector.dial(to);
      counts.succeeded((performance.now() - began) / 1000);
      return connection;
    } catch (error) {
      counts.failed(error instanceof EgressError ? error.stage : 'proxy');
      throw error;
    }
  };
}
