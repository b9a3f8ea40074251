import { format } from 'oxfmt';

/** Formats a page as `oxfmt --check` expects it. */
export async function formatMarkdown(text) {
  const { code, errors } = await format('page.md', text, { printWidth: 110, singleQuote: true });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
}
