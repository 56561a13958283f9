import type { ActiveToxic, StoredToxic } from '../contract/toxics.js';
import { isBacklotError, type Problem } from '../errors.js';
import { parseDuration } from '../time/duration.js';
import { show } from '../validation/messages.js';
import { isObject } from '../validation/pointer.js';
import { suggest } from '../validation/suggest.js';
import { createValidator } from '../validation/validator.js';
import { parseClient } from './parse-client.js';
import { toxicSchemaOfType } from './toxic-schema.js';
import { TOXIC_TYPES, toxicTypesOf, type Transport } from './toxic-types.js';

/** What a toxic is checked against. */
export interface ToxicPlace {
  readonly kind: string;
  readonly transport: Transport;
}

/** A toxic that was checked, with its defaults, or what is wrong with it. */
export type CheckedToxic =
  | { readonly toxic: Omit<StoredToxic, 'expires_at'>; readonly problems?: undefined }
  | { readonly toxic?: undefined; readonly problems: readonly Problem[] };

/** Checks a toxic for a kind and fills in its defaults. @param base - the JSON pointer of the toxic */
export function checkToxic(given: unknown, place: ToxicPlace, base = ''): CheckedToxic {
  if (!isObject(given)) return unfit(base, `must be an object, got ${show(given)}`);
  const { type } = given;
  const wrong = checkType(type, place);
  if (wrong !== undefined) return unfit(`${base}/type`, wrong);
  const { expires_at: _shown, ...rest } = given;
  const toxic = structuredClone(rest) as Record<string, unknown>;
  const schema = toxicSchemaOfType(type as string);
  const problems = schema === undefined ? [] : createValidator(schema).fill(toxic, base);
  if (problems.length > 0) return { problems };
  attempt(problems, `${base}/ttl`, () => {
    if (toxic['ttl'] !== undefined && parseDuration(toxic['ttl'] as string) === 0)
      problems.push({ path: `${base}/ttl`, message: 'must be longer than nothing, such as "30s"' });
  });
  attempt(problems, `${base}/client`, () => void parseClient(toxic['client'] as string | undefined));
  if (problems.length > 0) return { problems };
  const { name = `${type as string}_${toxic['stream'] as string}`, stream, toxicity, attributes } = toxic;
  const { client, ttl } = toxic;
  return {
    toxic: Object.freeze({
      ...{ name, type, stream, toxicity, attributes: Object.freeze(attributes) },
      ...(client === undefined ? {} : { client }),
      ...(ttl === undefined ? {} : { ttl }),
    }) as StoredToxic,
  };
}

/** A toxic as the service reads it. */
export function activateToxic({
  name,
  type,
  stream,
  toxicity,
  attributes,
  client,
}: StoredToxic): ActiveToxic {
  const { onStreams = false, onDatagrams = false } = TOXIC_TYPES[type] ?? {};
  return { name, type, onStreams, onDatagrams, stream, toxicity, attributes, isFor: parseClient(client) };
}

function checkType(type: unknown, { kind, transport }: ToxicPlace): string | undefined {
  const own = toxicTypesOf(transport);
  if (typeof type === 'string' && own.includes(type)) return undefined;
  const list = own.join(', ');
  if (typeof type === 'string' && Object.hasOwn(TOXIC_TYPES, type)) {
    const has = transport === 'datagram' ? 'datagrams and no connections' : 'connections and no datagrams';
    const on = transport === 'datagram' ? 'connections' : 'datagrams';
    return `"${type}" is a toxic of ${on}, and ${kind} has ${has}: use one of ${list}`;
  }
  if (type === undefined) return `is needed: one of ${list}`;
  const meant = typeof type === 'string' ? suggest(type, own) : undefined;
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return `must be one of ${list}, got ${show(type)}${hint}`;
}

function unfit(path: string, message: string): CheckedToxic {
  return { problems: [{ path, message }] };
}

function attempt(problems: Problem[], path: string, run: () => void): void {
  try {
    run();
  } catch (thrown) {
    if (!isBacklotError(thrown)) throw thrown;
    problems.push({ path, message: thrown.message });
  }
}
