import { describe, expect, it } from 'vitest';
import { Failure } from '../errors.ts';
import {
  bytesValue,
  dateTimeValue,
  dateValue,
  durationValue,
  isDateTime,
  isTextDuration,
} from './text-formats.ts';

describe('values of formats', () => {
  it.each([
    ['1h30m', '5400s'],
    ['3 days', '259200s'],
    ['1 week 2 hours', '612000s'],
    ['5 Minutes', '300s'],
    ['10ms', '0.01s'],
  ])('%s is the duration %s', (text, expected) => expect(String(durationValue(text))).toBe(expected));

  it.each([
    ['2024-02-29T12:13:14.5Z', '2024-02-29T12:13:14.5Z'],
    ['2024-02-29T23:30:00+02:00', '2024-02-29T23:30:00+02:00'],
    ['2024-02-29T12:13:14', '2024-02-29T12:13:14Z'],
  ])('%s is the instant %s', (text, expected) => expect(String(dateTimeValue(text))).toBe(expected));

  it('a date is midnight in UTC', () => {
    expect(String(dateValue('2024-02-29'))).toBe('2024-02-29T00:00:00Z');
  });

  it('bytes are decoded as URL-safe base64', () => {
    expect([...bytesValue('-_8=')]).toEqual([251, 255]);
  });

  it.each([
    [() => bytesValue('a+bc'), 'Invalid byte formatted string a+bc: illegal base64 data at input byte 1'],
    [
      () => dateTimeValue('2024-02-29t12:13:14z'),
      'Invalid date-time formatted string 2024-02-29t12:13:14z: parsing time "2024-02-29t12:13:14z" as "2006-01-02T15:04:05": cannot parse "t12:13:14z" as "T"',
    ],
    [() => durationValue('soon'), 'Invalid duration soon: unable to parse soon as duration'],
  ])('a valid text without a value fails: %#', (read, message) => {
    let thrown: unknown;
    try {
      read();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toEqual(new Failure(message));
  });

  it('date-times accept lowercase letters', () => expect(isDateTime('2024-02-29t12:13:14z')).toBe(true));
  it('a number without a unit is not a duration', () => expect(isTextDuration('12')).toBe(false));
});
