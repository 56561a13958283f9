import type { Protocol, ProtocolMeta } from '../contract/protocol.js';
import { BacklotError } from '../errors.js';
import { suggest } from '../validation/suggest.js';
import { reachableHost } from './url-of.js';

/** The environment variable by which a program finds a kind. */
export function urlVariableOf(kind: string, meta: ProtocolMeta): string {
  return meta.urlVariable ?? `${prefixOf(kind)}_URL`;
}

/** The variables of what listens at an address, by name: its url, and its host and port apart. */
export function variablesOf(
  kind: string,
  meta: ProtocolMeta,
  { host, port }: { readonly host: string; readonly port: number },
  url: string,
): Readonly<Record<string, string>> {
  return { [urlVariableOf(kind, meta)]: url, ...listenerVariables(kind, { host, port }, url) };
}

/** The variables of a listener alone, by its name. */
export function listenerVariables(
  name: string,
  { host, port }: { readonly host: string; readonly port: number },
  url: string,
): Readonly<Record<string, string>> {
  const prefix = prefixOf(name);
  return {
    [`${prefix}_URL`]: url,
    [`${prefix}_HOST`]: reachableHost(host),
    [`${prefix}_PORT`]: String(port),
  };
}

/** The names of {@link variablesOf}. */
export function variableNamesOf({ kind, meta }: Pick<Protocol, 'kind' | 'meta'>): readonly string[] {
  return Object.keys(variablesOf(kind, meta, { host: '', port: 0 }, ''));
}

function prefixOf(kind: string): string {
  return kind.toUpperCase().replaceAll('-', '_');
}

/**
 * Gives variables further names.
 *
 * @param variables - by their own names
 * @param wishes - pairs of a name and a further one; `KAFKA` stands for `KAFKA_URL`, and so for every kind
 * @returns the further ones alone
 * @throws BacklotError `invalid` for a name that no variable has, or a further one that cannot be a name
 */
export function renameVariables(
  variables: Readonly<Record<string, string>>,
  wishes: Iterable<readonly [string, string]>,
): Record<string, string> {
  const known = new Map(Object.entries(variables));
  const further = new Map<string, string>();
  for (const [name, own] of wishes) {
    const value = known.get(name) ?? known.get(`${name}_URL`);
    if (value === undefined) throw unknownVariable(name, [...known.keys()]);
    if (own === '' || /[=\0]/.test(own)) {
      throw new BacklotError(
        'invalid',
        `${JSON.stringify(own)} cannot be the name of a variable, for ${name}; give one such as MY_${name}`,
      );
    }
    further.set(own, value);
  }
  return Object.fromEntries(further);
}

function unknownVariable(name: string, known: readonly string[]): BacklotError {
  const meant = suggest(name, known);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return new BacklotError('invalid', `there is no variable "${name}"${hint}; there are ${known.join(', ')}`);
}
