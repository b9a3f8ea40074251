import { optionGroup, type OptionsTable } from '@annex/runtime';

/** The address of a listener. */
export interface ListenConfig {
  bindAddress: string;
  port: number;
}

/** The address of a listener, and its certificate. */
export interface ServingConfig extends ListenConfig {
  tlsCertFile: string;
  tlsPrivateKeyFile: string;
}

/** The options of every server. */
export const listenOptions: OptionsTable<ListenConfig> = optionGroup('Serving', {
  bindAddress: {
    flag: 'bind-address',
    nonEmpty: true,
    type: 'string',
    default: '127.0.0.1',
    help: 'The address to listen on.',
  },
  port: {
    flag: 'secure-port',
    aliases: ['port'],
    type: 'int',
    default: 8443,
    min: 0,
    max: 65535,
    help: 'The port to listen on; 0 selects a free one.',
  },
});

/** The options of a server with certificate files. */
export const servingOptions: OptionsTable<ServingConfig> = optionGroup('Serving', {
  ...listenOptions,
  tlsCertFile: {
    flag: 'tls-cert-file',
    type: 'path',
    required: true,
    help: 'The certificate of this server.',
  },
  tlsPrivateKeyFile: {
    flag: 'tls-private-key-file',
    type: 'path',
    required: true,
    help: 'The key of that certificate.',
  },
});
