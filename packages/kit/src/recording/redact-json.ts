import { endOfJsonString } from '@backlot/core/plugin';
import { isSecretName, REDACTED, redactText, redactUrl } from './secrets.js';

/** Characters after which others are let in. */
const STEP = 16_384;
const QUOTE = 34;

/**
 * Takes the secrets out of a text of JSON, or of several one after another as in a stream of lines: values of secret names with
 * all that is below them, texts with known shapes, and both in texts that are JSON themselves. All else stays as it is written,
 * and what is no JSON, or cut off, is looked through as far as it goes.
 *
 * @returns the work in steps, as `runInSlices` and `runAtOnce` take it
 */
export function* redactJsonSteps(given: string): Generator<undefined, string> {
  const text = redactText(given);
  yield undefined;
  const names = new Map<string, boolean>();
  const isSecret = (name: string): boolean => {
    let known = names.get(name);
    if (known === undefined) names.set(name, (known = isSecretName(name)));
    return known;
  };
  const pieces: string[] = [];
  let done = 0;
  const put = (from: number, to: number, piece: string): void => {
    pieces.push(text.slice(done, from), piece);
    done = to;
  };
  let depth = 0;
  /** The depth of the value of a secret name that is being read; 0 outside of one. */
  let secretDepth = 0;
  let isNamedSecret = false;
  let pause = STEP;
  for (let at = 0; at < text.length;) {
    if (at >= pause) {
      pause = at + STEP;
      yield undefined;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = Math.min(endOfJsonString(text, at) + 1, text.length);
      if (isName(text, end)) isNamedSecret = isSecret(decoded(text.slice(at, end)));
      else {
        if (secretDepth > 0 || isNamedSecret) {
          if (end - at > 2) put(at, end, `"${REDACTED}"`);
        } else {
          const raw = text.slice(at, end);
          const plain = decoded(raw);
          // Texts without escapes were looked through with the whole.
          const redacted = raw.includes('\\') || isPath(plain) ? yield* redactStringSteps(plain) : plain;
          if (redacted !== plain) put(at, end, JSON.stringify(redacted));
        }
        isNamedSecret = false;
      }
      at = end;
    } else if (code === 123 || code === 91) {
      depth += 1;
      if (isNamedSecret && secretDepth === 0) secretDepth = depth;
      isNamedSecret = false;
      at += 1;
    } else if (code === 125 || code === 93) {
      if (depth === secretDepth) secretDepth = 0;
      depth = Math.max(depth - 1, 0);
      isNamedSecret = false;
      at += 1;
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      const end = endOfNumber(text, at);
      if (secretDepth > 0 || isNamedSecret) put(at, end, `"${REDACTED}"`);
      isNamedSecret = false;
      at = end;
    } else {
      // A comma ends a value that is neither text nor number.
      if (code === 44) isNamedSecret = false;
      at += 1;
    }
  }
  return done === 0 ? text : pieces.join('') + text.slice(done);
}

/** A text without its secrets, in steps: one that is JSON is looked into, and so is the query of one that is a path. */
export function* redactStringSteps(text: string): Generator<undefined, string> {
  if (/^\s*[[{"]/.test(text)) return yield* redactJsonSteps(text);
  return isPath(text) ? redactText(redactUrl(text)) : redactText(text);
}

function isPath(text: string): boolean {
  return text.startsWith('/') && text.includes('?');
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 32) at += 1;
  return text.charCodeAt(at) === 58;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  // Digits, and `.`, `+`, `-`, `e` and `E`.
  for (
    let code = text.charCodeAt(end);
    (code >= 48 && code <= 57) || ENDS.has(code);
    code = text.charCodeAt(end)
  )
    end += 1;
  return end;
}

const ENDS: ReadonlySet<number> = new Set([43, 45, 46, 69, 101]);

function decoded(raw: string): string {
  if (!raw.includes('\\')) return raw.slice(1, raw.endsWith('"') ? -1 : undefined);
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw.slice(1);
  }
}
