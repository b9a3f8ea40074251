import { type FieldError, fieldErrors, type FieldPath } from '@annex/machinery';
import type { PrinterColumn } from '../crd/crd.ts';

const { invalid, required } = fieldErrors;

const types = ['boolean', 'date', 'integer', 'number', 'string'];
const formats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Validates one of `additionalPrinterColumns`. */
export function validateColumn(column: PrinterColumn, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { name, type, format, jsonPath } = column;
  const oneOfTypes = `must be one of ${types.join(',')}`;
  if (name === '') errors.push(required(path.child('name')));
  if (type === '') errors.push(required(path.child('type'), oneOfTypes));
  else if (!types.includes(type)) errors.push(invalid(path.child('type'), type, oneOfTypes));
  if (format && !formats.includes(format)) {
    errors.push(invalid(path.child('format'), format, `must be one of ${formats.join(',')}`));
  }
  if (jsonPath === '') errors.push(required(path.child('JSONPath')));
  else errors.push(...validateSimplePath(jsonPath, path.child('JSONPath')));
  return errors;
}

/** kube requires only that these paths start with a dot. */
export function validateSimplePath(value: string, path: FieldPath): FieldError[] {
  return value.startsWith('.') ? [] : [invalid(path, value, 'must be a simple json path starting with .')];
}
