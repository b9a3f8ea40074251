export { mapMaybePromise } from './map-maybe-promise.ts';
export { cipherSuiteProblems, opensslCiphers } from './cipher-suites.ts';
export { cleanPath } from './clean-path.ts';
export { type Clock, type Timer, sleepOn, systemClock } from './clock.ts';
export { isContended, ownTurn } from './turns/own-turn.ts';
export { yieldIfHeld } from './turns/loop-turn.ts';
export { createTurns } from './turns/create-turns.ts';
export { createPacer, eachInSlices } from './turns/pacer.ts';
export { pause } from './pause.ts';
export { DestinationRules, type HostPort } from './destination-rules.ts';
export { errorsText } from './error-text.ts';
export { exitCodes, invalidCommandLine } from './exit-codes.ts';
export { hostOf } from './host-of.ts';
export { IpNetwork } from './ip-network.ts';
export { listenError } from './listen-error.ts';
export { listen, type Listening, type SocketPlace } from './listen.ts';
export { didYouMean } from './nearest-name.ts';
export type { Dial, DialAddress, EgressSelector, EgressType } from './egress.ts';
export { helpRow, helpText, section } from './option-help.ts';
export { OperatorError, type OperatorErrorCode, operatorErrors } from './error-codes.ts';
export { type Lifecycle, type LifecycleOptions, type Part, createLifecycle } from './lifecycle.ts';
export {
  type LogFields,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  type LogSink,
  createLogger,
  logLevels,
  nullLogger,
} from './log.ts';
export { fixedKeyPair, type LiveKeyPair, openKeyPair } from './live-key-pair.ts';
export { createLiveFiles, fixedText, type LiveFiles, type LiveText } from './live-files.ts';
export { type KubeconfigConfig, kubeconfigOptions } from './kubeconfig-options.ts';
export { type LogConfig, logOptions } from './log-options.ts';
export { sumFamilies } from './metric-families.ts';
export type { MetricFamily } from './metric-series.ts';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type Metrics,
  createMetrics,
  renderFamilies,
} from './metrics.ts';
export { readOptionalFile, readOptionFile, usableFile } from './option-file.ts';
export {
  type ConflictCheck,
  type ForeignFlag,
  type ForeignFlags,
  type OptionRow,
  type OptionsTable,
  type ParsedOptions,
  type Validated,
  type AnyRow,
  flagsOf,
  optionGroup,
  optionsMarkdown,
  parseOptions,
  startupValues,
} from './options.ts';
export { hostProblem, isHostHeader } from './host-header.ts';
export { nodeHttp, requireFinalResponse } from './node-http.ts';
export { nodeVersionError, oldestNodes, requireSupportedNode } from './node-version.ts';
export { createPageServer, healthPages, type Page, type Pages, plainText } from './page-server.ts';
export { portOption } from './port-option.ts';
export { makeDirectory, makePrivateDirectory, restrictMode } from './private-directory.ts';
export { redactText } from './redact.ts';
export { beforeReady, type ProcessDescription, runProcess, type RunningProcess } from './run-process.ts';
export {
  ConnectionLimiter,
  type ConnectionLimits,
  type CountedConnection,
  defaultConnectionLimits,
  unauthenticatedShare,
} from './connection-limiter.ts';
export { startupLog, threadLog } from './startup-log.ts';
export { trustedCertificates } from './trusted-certificates.ts';
export { watchEventLoop } from './watchdog/watchdog.ts';
export { type WatchdogConfig, watchdogOptions } from './watchdog/watchdog-options.ts';
export { maxFileBytes, readTextFile, readTextFileSync } from './read-file.ts';
export { connectionLimitOptions } from './connection-limit-options.ts';
