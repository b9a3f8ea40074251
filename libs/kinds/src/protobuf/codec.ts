export {
  decodeEnvelope,
  decodeEnvelopeInPasses,
  decodeProtobuf,
  encodeProtobuf,
  encodeProtobufInPasses,
  encodeWatchFrame,
  readEnvelope,
} from './protobuf.ts';
export { encodeProtobufList } from './list.ts';
