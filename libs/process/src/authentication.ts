import {
  anonymousOn,
  audienceAgnostic,
  type Authenticator,
  bootstrapTokens,
  type ConfiguredTokens,
  feedBoundObjects,
  jwtAlgorithms,
  openConfiguredTokens,
  cachedTokens,
  reviewAuthenticator,
  tokenFileTokens,
  type TokenAuthenticator,
  webhookTokens,
} from '@annex/auth';
import { Client, loadKubeconfig } from '@annex/client';
import {
  type LiveFiles,
  type LiveText,
  OperatorError,
  type Part,
  readOptionalFile,
  readOptionFile,
  usableFile,
} from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import type { AuthenticationConfig } from './authentication-options.ts';
import { oidcConfiguration } from './oidc-configuration.ts';
import { audiencesOf, type ServiceAccountConfig, tokensOf } from './service-account-options.ts';

/** The authenticators of the options. */
export interface OpenedAuthentication {
  /** All authenticators of bearer tokens, in order. */
  tokens: readonly TokenAuthenticator[];
  /** Accepts requests without credentials, if that is enabled. */
  anonymous: Authenticator | undefined;
  /** Returns the users of tokens in TokenReviews. */
  reviews: Authenticator;
  part: Part;
}

/** Dependencies of {@link openAuthentication}. */
export interface AuthenticationContext {
  files: LiveFiles;
  deps: Pick<ServerDeps, 'feed' | 'store' | 'clock' | 'log' | 'metrics' | 'egress'>;
  /** Files of the keys that verify the tokens of service accounts, PEM. */
  verificationKeys: readonly string[];
}

/** Milliseconds that valid tokens of other issuers and of a webhook are cached. Source: kube-apiserver. */
const cachedMs = 10_000;

/** Opens the configured authenticators. Throws OperatorError FILE_UNREADABLE and OPTION_CONFLICT. */
export async function openAuthentication(
  config: AuthenticationConfig & ServiceAccountConfig,
  context: AuthenticationContext,
): Promise<OpenedAuthentication> {
  const { deps, verificationKeys } = context;
  const audiences = audiencesOf(config);
  const agnostic = (token: TokenAuthenticator) => audienceAgnostic(token, audiences);
  const [file, jwt, webhook] = await Promise.all([
    openTokenFile(config.tokenAuthFile),
    openJwt(config, context),
    openWebhook(config, audiences, deps),
  ]);
  const remembered = (tokens: TokenAuthenticator) =>
    cachedTokens(tokens, cachedMs, () => deps.clock.monotonic());
  const tokens = [
    ...(file ? [agnostic(file)] : []),
    ...(verificationKeys.length > 0 ? [tokensOf(config, verificationKeys, deps)] : []),
    ...(config.enableBootstrapTokenAuth
      ? [agnostic(bootstrapTokens(feedBoundObjects(deps.feed), () => deps.clock.now()))]
      : []),
    ...(jwt ? [agnostic(remembered(jwt.tokens))] : []),
    ...(webhook ? [remembered(webhook.tokens)] : []),
  ];
  const anonymous = anonymousOf(config, jwt?.tokens);
  return {
    tokens,
    anonymous,
    reviews: reviewAuthenticator(tokens, anonymous, audiences),
    part: {
      name: 'authentication',
      start: () => jwt?.tokens.start(jwt.file),
      stop() {
        jwt?.tokens.stop();
        webhook?.client.close();
      },
    },
  };
}

async function openTokenFile(path: string | undefined): Promise<TokenAuthenticator | undefined> {
  if (path === undefined) return undefined;
  const text = await readOptionFile(path);
  return usableFile(path, () => tokenFileTokens(text, path));
}

interface OpenedJwt {
  tokens: ConfiguredTokens;
  file: LiveText | undefined;
}

async function openJwt(
  config: AuthenticationConfig & ServiceAccountConfig,
  { deps, files }: AuthenticationContext,
): Promise<OpenedJwt | undefined> {
  const { authenticationConfig: path } = config;
  const options = {
    disallowedIssuers: config.serviceAccountIssuer,
    clock: deps.clock,
    log: deps.log,
    metrics: deps.metrics,
    egress: deps.egress,
  };
  if (path !== undefined) {
    const file = await files.open(path);
    const opened = openConfiguredTokens(file, { ...options, algorithms: jwtAlgorithms });
    return { tokens: await usableFile(path, () => opened), file };
  }
  if (config.oidcIssuerUrl === undefined) return undefined;
  const unknown = config.oidcSigningAlgs.find((name) => !jwtAlgorithms.includes(name));
  if (unknown !== undefined) {
    throw new OperatorError('OPTION_VALUE_INVALID', `oidc: unsupported signing alg: "${unknown}"`);
  }
  const configuration = oidcConfiguration(config, (await readOptionalFile(config.oidcCaFile)) ?? '');
  try {
    const tokens = await openConfiguredTokens(configuration, {
      ...options,
      algorithms: config.oidcSigningAlgs,
    });
    return { tokens, file: undefined };
  } catch (cause) {
    throw new OperatorError('OPTION_CONFLICT', (cause as Error).message, { cause });
  }
}

async function openWebhook(
  config: AuthenticationConfig,
  audiences: readonly string[],
  { clock, egress }: Pick<ServerDeps, 'clock' | 'egress'>,
): Promise<{ tokens: TokenAuthenticator; client: Client } | undefined> {
  const path = config.authenticationTokenWebhookConfigFile;
  if (path === undefined) return undefined;
  const kubeconfig = await usableFile(path, () => loadKubeconfig(path));
  const client = new Client({ ...kubeconfig, dial: egress?.dialerFor('controlplane') });
  const tokens = webhookTokens({
    client,
    version: config.authenticationTokenWebhookVersion === 'v1' ? 'v1' : 'v1beta1',
    audiences,
    cacheTtlMs: config.authenticationTokenWebhookCacheTtl,
    clock,
  });
  return { tokens, client };
}

function anonymousOf(
  { anonymousAuth }: AuthenticationConfig,
  configured: ConfiguredTokens | undefined,
): Authenticator | undefined {
  const section = configured?.anonymous;
  if (section === undefined) return anonymousAuth === false ? undefined : anonymousOn([]);
  if (anonymousAuth !== undefined) {
    const why =
      'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file';
    throw new OperatorError('OPTION_CONFLICT', why);
  }
  return section.enabled ? anonymousOn(section.conditions.map(({ path }) => path)) : undefined;
}
