import { isSecretName, REDACTED, redactJsonSteps } from '@backlot/kit/upstream';
import { isTree, treeOf, type Tree } from '../shared/trees.js';

/**
 * A line as JSON without its secrets, in steps: values of secret names, texts that are known by their shape, and fields of forms
 * in bodies.
 */
export function* redactedLine(line: object): Generator<undefined, string, undefined> {
  const { entry } = line as { readonly entry?: unknown };
  const bare = isTree(entry) ? { entry: withoutFormSecrets(entry) } : line;
  return yield* redactJsonSteps(JSON.stringify(bare));
}

/** Bodies of forms are looked into where their header says that they are some. */
function withoutFormSecrets(entry: Tree): Tree {
  const { body, headers, body_encoding: encoding } = entry;
  if (typeof body !== 'string' || encoding !== undefined) return entry;
  const type = treeOf(headers)['content-type'];
  if (typeof type !== 'string' || !/^application\/x-www-form-urlencoded/i.test(type)) return entry;
  const pairs = body.split('&').map((pair) => {
    const mark = pair.indexOf('=');
    const name = pair.slice(0, Math.max(mark, 0)).replaceAll('+', ' ');
    return mark > 0 && isSecretName(decode(name)) ? `${pair.slice(0, mark)}=${REDACTED}` : pair;
  });
  return { ...entry, body: pairs.join('&') };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
