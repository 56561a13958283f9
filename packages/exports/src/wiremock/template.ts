import { isTree } from '../shared/trees.js';

/** Tags that WireMock has as well, by ours. */
const TAGS: readonly (readonly [ours: RegExp, theirs: string])[] = [
  [/^request\.params\.([A-Za-z_][\w-]*)$/, 'request.path.$1'],
  [/^request\.(query|headers|cookies)\.([\w-]+)$/, 'request.$1.$2'],
  [/^request\.form\.([\w-]+)$/, 'formData request.body $1'],
  [/^request\.raw_body$/, 'request.body'],
  [/^request\.target$/, 'request.url'],
  [/^request\.(method|path)$/, 'request.$1'],
  [/^request\.remote$/, 'request.clientIp'],
  [/^uuid$/, "randomValue type='UUID'"],
  [/^now$/, 'now'],
];

/** A template with the tags of WireMock; `undefined` when one of its tags has no counterpart there. */
export function wiremockTemplate(template: string): string | undefined {
  let isKnown = true;
  const text = template.replaceAll(/\{\{\{?([^{}]*)\}?\}\}/g, (_all, tag: string) => {
    const bare = tag.trim();
    const found = TAGS.find(([ours]) => ours.test(bare));
    if (found === undefined || bare.startsWith('request.form')) isKnown = false;
    return found === undefined ? '' : `{{${bare.replace(...found)}}}`;
  });
  return isKnown && !text.replaceAll(/\{\{[^{}]*\}\}/g, '').includes('{{') ? text : undefined;
}

/** The same for the texts of a value. */
export function wiremockJson(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('{{') ? wiremockTemplate(value) : value;
  if (Array.isArray(value)) {
    const items = value.map(wiremockJson);
    return items.includes(undefined) ? undefined : items;
  }
  if (!isTree(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, wiremockJson(inner)] as const);
  return entries.some(([, inner]) => inner === undefined) ? undefined : Object.fromEntries(entries);
}
