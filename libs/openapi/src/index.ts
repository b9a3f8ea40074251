export { builtinDocuments } from './builtin-documents.ts';
export { conditionCode } from './conditions.ts';
export { customOpenApi } from './custom-documents.ts';
export { openApiRelease } from './document.ts';
export {
  digest,
  type DocumentForm,
  type Encoded,
  type OpenApiSource,
  openApiUrl,
  PublishedDocuments,
} from './published-documents.ts';
export { serverDocument, serverDocumentPaths } from './server-documents.ts';
export { maxDocumentParts } from './swagger-shape.ts';
export { swaggerToV3 } from './swagger-to-v3.ts';
export { readSwagger, selectPaths, type Swagger } from './swagger.ts';
export type { ForeignDocument } from './v2-foreign.ts';
export type { V2Type } from './v2-forms.ts';
export { V2Merger } from './v2-merge.ts';
export { encodeOpenApiV3 } from './v3-protobuf.ts';
