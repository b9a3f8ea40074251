export {
  decodeEnvelope,
  decodeProtobuf,
  encodeProtobuf,
  encodeWatchFrame,
  readEnvelope,
} from './protobuf.ts';
export { encodeProtobufList } from './list.ts';
