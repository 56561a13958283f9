import { isTree, listOf, memberOf, textOf } from '@backlot/contracts';
import type { Channel, Tools } from './document.js';

const PARAMETER = /\{([^{}]{1,200})\}/g;

/** Whether an address has parameters. */
export function hasParameters(address: string): boolean {
  return address.search(PARAMETER) !== -1;
}

/** An address with a value for each of its parameters. */
export function concreteAddress(
  { address = '', parameters, document }: Channel,
  { references, sampler }: Tools,
  known: (name: string) => string | undefined = () => undefined,
): string {
  return address.replaceAll(PARAMETER, (_all, name: string) => {
    const given = known(name);
    if (given !== undefined) return given;
    const found = references.follow({ value: memberOf(parameters, name), document });
    const parameter = found.value;
    const schema = memberOf(parameter, 'schema');
    const value =
      textOf(memberOf(parameter, 'default')) ??
      textOf(listOf(memberOf(parameter, 'examples'))[0]) ??
      textOf(listOf(memberOf(parameter, 'enum'))[0]) ??
      (isTree(schema) ? textOf(sampler.sample(schema, found.document, name)) : undefined);
    return value ?? name;
  });
}

/** An address as a pattern in which any text may stand for a parameter. */
export function anyAddress(address: string): string {
  return address.replaceAll(PARAMETER, '*');
}

/** An address whose parameters have names that captures can have. */
export function namedAddress(address: string): string {
  return address.replaceAll(PARAMETER, (_all, name: string) => `{${parameterName(name)}}`);
}

/** The name of a parameter as templates see it. */
export function parameterName(name: string): string {
  const clean = name.replaceAll(/\W+/g, '_');
  return /^[A-Za-z_]/.test(clean) ? clean : `_${clean}`;
}

/** The names of the parameters of an address. */
export function parametersOf(address: string): ReadonlySet<string> {
  return new Set(Array.from(address.matchAll(PARAMETER), ([, name = '']) => name));
}
