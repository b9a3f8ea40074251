/**
 * Parses the records of a CSV text, RFC 4180, without empty lines, like Go's encoding/csv. Throws on
 * unbalanced quotes.
 */
export function csvRecords(written: string): string[][] {
  const text = written.replaceAll('\r\n', '\n').replace(/\r$/, '');
  const records: string[][] = [];
  let record: string[] = [];
  for (let at = 0; at < text.length;) {
    if (record.length === 0 && text[at] === '\n') {
      at++;
      continue;
    }
    const field = text[at] === '"' ? quoted(text, at) : plain(text, at);
    record.push(field.value);
    at = field.end + 1;
    const last = field.end >= text.length || text[field.end] === '\n';
    if (!last) {
      if (at >= text.length) record.push('');
      else continue;
    }
    records.push(record);
    record = [];
  }
  return records;
}

interface Field {
  value: string;
  /** The index of the comma or of the end of the line. */
  end: number;
}

function plain(text: string, start: number): Field {
  let end = start;
  while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++;
  const value = text.slice(start, end);
  if (value.includes('"')) throw new Error('bare " in non-quoted field');
  return { value, end };
}

function quoted(text: string, start: number): Field {
  let value = '';
  for (let at = start + 1; ; at++) {
    const close = text.indexOf('"', at);
    if (close < 0) throw new Error('extraneous or missing " in quoted field');
    value += text.slice(at, close);
    at = close;
    if (text[close + 1] !== '"') return ended(text, value, close + 1);
    value += '"';
    at++;
  }
}

function ended(text: string, value: string, end: number): Field {
  if (end >= text.length || text[end] === ',' || text[end] === '\n') return { value, end };
  throw new Error('extraneous or missing " in quoted field');
}
