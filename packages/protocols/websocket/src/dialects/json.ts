import { parseJson } from '@backlot/core/plugin';

/** How deep a message may be nested: what is deeper would not fit the stack of what reads and writes it. */
const MAX_DEPTH = 500;

/** The value of a text; `undefined` for one that is no JSON, or is nested deeper than 500 levels. */
export function parseDialectJson(text: string): unknown {
  return isDeep(text) ? undefined : parseJson(text)?.[0];
}

/** A value as JSON; bytes become base64. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, item: unknown) {
    const raw = this[key];
    return raw instanceof Uint8Array ? Buffer.from(raw).toString('base64') : item;
  });
}

/** Whether more brackets are open at some place than {@link MAX_DEPTH}, roughly: those in texts count as well when they do not close. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInText) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) isInText = false;
    } else if (code === 0x22) isInText = true;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}
