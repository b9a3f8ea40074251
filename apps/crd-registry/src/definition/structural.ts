import type { FieldError, FieldPath, JsonObject } from '@annex/machinery';

export const checkStructural = (_schema: JsonObject, _path: FieldPath): FieldError[] => [];
export const hasUnprunedDefaults = (_schema: JsonObject): boolean => false;
