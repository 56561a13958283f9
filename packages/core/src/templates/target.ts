/** What values are escaped for where a template inserts them. */
export type Target = 'json' | 'xml' | 'text';

/** Words of a subtype that say JSON: `json`, `vnd.api+json`, `x-amz-json-1.0`, `x-ndjson`, `jsonl`, `json-seq`. */
const JSON_WORD = /^(?:nd)?json(?:l|lines)?5?$/;
const TEXTS: ReadonlySet<string> = new Set([
  'x-www-form-urlencoded',
  'javascript',
  'octet-stream',
  'pdf',
  'zip',
]);

/**
 * What a content type says of a text: JSON or XML by its subtype (RFC 8259, RFC 7303 and what ends in `+json` or `+xml`),
 * for which values are escaped; text when it is a type of text; `auto`, so that the text itself decides, when there is
 * none, it has tags of its own, or it says nothing about the form.
 */
export function targetOf(contentType: string | undefined): Target | 'auto' {
  if (contentType === undefined || contentType === '' || contentType.includes('{{')) return 'auto';
  const [type = '', subtype = ''] = (contentType.toLowerCase().split(';')[0] ?? '').trim().split('/');
  const words = subtype.split(/[-+.]/);
  if (words.some((word) => JSON_WORD.test(word))) return 'json';
  if (words.includes('xml')) return 'xml';
  return type !== 'application' || TEXTS.has(subtype) ? 'text' : 'auto';
}

/** The content type among headers, whatever the case of its name; the first of several. */
export function contentTypeIn(
  headers: Readonly<Record<string, string | readonly string[]>> | undefined,
): string | undefined {
  const found = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return typeof found === 'object' ? found[0] : found;
}
