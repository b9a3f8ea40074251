export { type BalancedServer, type Balancer, startBalancer } from './balancer.ts';
export {
  type TestCA,
  type CertificateRequest,
  type Credential,
  createTestCA,
  loadTestCA,
} from './certificates.ts';
export { type ConnectResponse, type ConnectServer, startConnectServer } from './connect-server.ts';
export { definitionManifest, type DefinitionOptions, definitionVersion } from './definition.ts';
export { documentedRoutes, documentedSteps } from './documented-steps.ts';
export { FakeClock } from './fake-clock.ts';
export { freePort, freePorts, freeRow } from './free-port.ts';
export { lastPrinted, type ProcessOptions, type RunningProcess, startProcess } from './process.ts';
export {
  apiServiceManifest,
  externalServiceManifest,
  type RegistrationOptions,
  validatingWebhookManifest,
} from './registration.ts';
export { expectLinear, type Growth, GrowthError, type GrowthOptions, measureGrowth } from './growth.ts';
export {
  bothRefuse,
  type FuzzTarget,
  type RecordFormat,
  goJson,
  hasNewerCharacter,
  jsonText,
  latin1Text,
  orError,
  orErrorLater,
  utf8Text,
} from './fuzz-target.ts';
export { type HeldTimeouts, holdTimeouts } from './held-timeouts.ts';
export { sendByteByByte, type SilentServer, startSilentServer } from './silent-server.ts';
export { sendInterimResponses, sendWithoutEnd, switchProtocols } from './hostile-responses.ts';
export { type TempFolder, tempFolder } from './temp-folder.ts';
export { findTool, pathFolders, requireTools } from './tools.ts';
export { playRecording } from './player/play.ts';
export { type Identity, readRecording, type RecordedStep, type Recording } from './player/recording.ts';
export { loadYaml } from './player/scalars.ts';
export { createTarget, type Target, type TargetRequest } from './player/target.ts';
export { findKubectls, type Kubectl } from './transcript/kubectl.ts';
export { playTranscript, type TranscriptSetting, transcriptTools } from './transcript/play-transcript.ts';
export { parseTranscript, type Transcript } from './transcript/transcript.ts';
export { samples } from './samples.ts';
export { type SchemaCase, schemaCases } from './structural-schemas.ts';
export { startTokenIssuer, type TokenIssuer, type TokenOptions } from './token-issuer.ts';
