import { runAtOnce } from '@backlot/core/plugin';
import { redactStringSteps } from './redact-json.js';
import { decodePart, isSecretName, REDACTED, redactText, redactUrl } from './secrets.js';

/** A query or form without the values of secret names. */
export function redactPairs(text: string): string {
  return runAtOnce(redactPairsSteps(text));
}

/** As {@link redactPairs}, in steps. */
export function* redactPairsSteps(text: string): Generator<undefined, string> {
  const pairs: string[] = [];
  for (const pair of text.split('&')) {
    const mark = pair.indexOf('=');
    const name = mark < 0 ? '' : pair.slice(0, mark);
    const value = decodePart(pair.slice(mark + 1));
    if (mark >= 0 && value !== '' && isSecretName(decodePart(name))) pairs.push(`${name}=${REDACTED}`);
    else {
      const redacted = yield* redactStringSteps(value);
      if (redacted === value) pairs.push(pair);
      else pairs.push(`${mark < 0 ? '' : `${name}=`}${encodeURIComponent(redacted)}`);
    }
    yield undefined;
  }
  return pairs.join('&');
}

/** A path as it came, without secrets. */
export function redactPath(path: string): string {
  const decoded = decodePath(path);
  const redacted = redactText(decoded);
  return redacted === decoded ? path : encodeURI(redacted);
}

/** A path without its escapes, but for those of characters that have a meaning in it. */
export function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    // It stays as it is written.
    return path;
  }
}

/** Headers of a request, names and values in turn, without secrets. */
export function redactHeaders(raw: readonly string[]): string[] {
  return raw.map((text, index) =>
    index % 2 === 0 ? text : redactHeader((raw[index - 1] ?? '').toLowerCase(), text),
  );
}

/** A header without secrets. @param key - its name in lower case */
export function redactHeader(key: string, value: string): string {
  // What a cookie is called and how long it lives is no secret.
  if (key === 'set-cookie') return value.replace(/^([^=;]*)=[^;]+/, `$1=${REDACTED}`);
  if (key === 'cookie') return value.replaceAll(/=[^;]+/g, `=${REDACTED}`);
  return isSecretName(key) && value !== '' ? REDACTED : redactText(redactUrl(value));
}
