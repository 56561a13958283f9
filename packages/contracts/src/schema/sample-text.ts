import type { Chance } from '../shared/chance.js';
import type { Tree } from '../shared/values.js';
import { textOfName } from './named-text.js';
import { textOfPattern } from './text-of-pattern.js';

/** Characters of one text. */
const LONGEST = 10_000;

/**
 * A text that a schema allows; `undefined` when none is found.
 *
 * @param looksReal - whether a text that may be anything is one as it usually stands under its name, in place of the name itself
 */
export function sampleText(
  schema: Tree,
  name: string,
  chance: Chance,
  looksReal = false,
): string | undefined {
  const least = Number(schema['minLength'] ?? 0) || 0;
  const most = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : Number.POSITIVE_INFINITY;
  if (least > LONGEST || least > most) return undefined;
  const { format, pattern } = schema;
  if (typeof pattern === 'string') return textOfPattern(pattern, least, most, chance);
  const formatted =
    typeof format === 'string' ? FORMATS[format as keyof typeof FORMATS]?.(chance) : undefined;
  const text =
    formatted ?? (looksReal ? textOfName(name, chance) : undefined) ?? (name === '' ? 'text' : name);
  if (text.length < least) return text.padEnd(least, 'x');
  return text.length > most ? text.slice(0, most) : text;
}

const FORMATS = {
  'date-time': (chance: Chance) => `${day(chance)}T${time(chance)}Z`,
  date: day,
  time: (chance: Chance) => `${time(chance)}Z`,
  duration: (chance: Chance) => `PT${chance.int(1, 59)}M`,
  email: (chance: Chance) => `user${chance.int(1, 999)}@example.com`,
  'idn-email': (chance: Chance) => `user${chance.int(1, 999)}@example.com`,
  hostname: (chance: Chance) => `host${chance.int(1, 999)}.example.com`,
  'idn-hostname': (chance: Chance) => `host${chance.int(1, 999)}.example.com`,
  ipv4: (chance: Chance) => `192.0.2.${chance.int(1, 254)}`,
  ip: (chance: Chance) => `192.0.2.${chance.int(1, 254)}`,
  ipv6: (chance: Chance) => `2001:db8::${chance.hex(1)}`,
  uri: (chance: Chance) => `https://example.com/${chance.int(1, 999)}`,
  url: (chance: Chance) => `https://example.com/${chance.int(1, 999)}`,
  iri: (chance: Chance) => `https://example.com/${chance.int(1, 999)}`,
  'uri-reference': (chance: Chance) => `/${chance.int(1, 999)}`,
  'uri-template': () => '/items/{id}',
  uuid: (chance: Chance) => chance.uuid(),
  'json-pointer': () => '/items/0',
  regex: () => '^[a-z]+$',
  byte: () => 'aGVsbG8=',
  password: () => 'secret',
} as const;

function day(chance: Chance): string {
  return `2024-${two(chance.int(1, 12))}-${two(chance.int(1, 28))}`;
}

function time(chance: Chance): string {
  return `${two(chance.int(0, 23))}:${two(chance.int(0, 59))}:${two(chance.int(0, 59))}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
