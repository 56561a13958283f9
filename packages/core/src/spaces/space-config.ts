import type { Json } from '../contract/given.js';
import type { ProtocolMeta } from '../contract/protocol-meta.js';
import type { CoreConfig } from '../contract/schema.js';
import { isObject } from '../validation/pointer.js';

/** The configuration of a kind in a space: that of the host, with free ports. */
export function spaceConfig(
  config: CoreConfig & Json,
  { furtherPorts = [] }: ProtocolMeta,
): CoreConfig & Json {
  let own: unknown = { ...config, port: 0, portIsChosen: true };
  for (const pointer of furtherPorts) own = freePort(own, pointer.split('/').slice(1));
  return own as CoreConfig & Json;
}

/** The value with a 0 where the steps lead to, if there is a port. */
function freePort(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return typeof value === 'number' ? 0 : value;
  if (Array.isArray(value)) return value.map((each: unknown) => freePort(each, rest));
  if (!isObject(value) || value[step] === undefined) return value;
  return { ...value, [step]: freePort(value[step], rest) };
}
