import { unescapeText } from '../name.js';
import type { RecordData } from '../record-data.js';
import { FieldReader, numberOctets, parseIpv4, parseIpv6 } from './fields.js';
import { absolute } from './names.js';

/** Parameter keys (RFC 9460 section 14.3.2, RFC 9461). */
const KEYS: ReadonlyMap<string, number> = new Map([
  ['mandatory', 0],
  ['alpn', 1],
  ['no-default-alpn', 2],
  ['port', 3],
  ['ipv4hint', 4],
  ['ech', 5],
  ['ipv6hint', 6],
  ['dohpath', 7],
]);

interface Parameter {
  readonly key: number;
  readonly octets: Buffer;
  readonly text: string;
}

/** SVCB and HTTPS (RFC 9460 section 2); the target must not be compressed. */
export function parseServiceBinding(type: number, source: string, origin?: string): RecordData {
  const fields = new FieldReader(
    source,
    '<priority> <target> <key=value> ..., such as "1 . alpn=h2,h3 port=443"',
    origin,
  );
  const priority = fields.number('the priority', 2);
  const target = fields.name();
  const parameters: Parameter[] = [];
  while (fields.hasMore) parameters.push(parseParameter(fields.field().text, source));
  parameters.sort((a, b) => a.key - b.key);
  checkParameters(priority, parameters, source);
  const octets = parameters.flatMap(({ key, octets: value }) => [
    numberOctets(key, 2),
    numberOctets(value.length, 2),
    value,
  ]);
  const shown = [priority, absolute(target.text), ...parameters.map(({ text }) => text)];
  return {
    type,
    parts: [Buffer.concat([numberOctets(priority, 2), target.wire, ...octets])],
    text: shown.join(' '),
  };
}

function parseParameter(text: string, source: string): Parameter {
  const equals = text.indexOf('=');
  const name = (equals < 0 ? text : text.slice(0, equals)).toLowerCase();
  const value = equals < 0 ? undefined : text.slice(equals + 1).replace(/^"(.*)"$/su, '$1');
  const key = keyOf(name);
  if (key === undefined) {
    throw new Error(
      `"${source}" has the unknown parameter "${name}"; use ${[...KEYS.keys()].join(', ')} or key<number>`,
    );
  }
  const shown = value === undefined ? name : `${name}=${/[\s()]/.test(value) ? `"${value}"` : value}`;
  return { key, octets: encodeValue(key, name, value, source), text: shown };
}

function keyOf(name: string): number | undefined {
  const generic = /^key(\d{1,5})$/.exec(name);
  const number = generic === null ? KEYS.get(name) : Number(generic[1]);
  return number !== undefined && number <= 65534 ? number : undefined;
}

function encodeValue(key: number, name: string, value: string | undefined, source: string): Buffer {
  if (key === 2) {
    if (value !== undefined) throw new Error(`"${source}" gives no-default-alpn a value; it has none`);
    return Buffer.alloc(0);
  }
  if (key > 7) return unescapeText(value ?? '');
  if (value === undefined || value === '')
    throw new Error(`"${source}" gives ${name} no value; write ${name}=...`);
  switch (key) {
    case 0:
      return Buffer.concat(mandatoryKeys(value, source).map((number) => numberOctets(number, 2)));
    case 1:
      return Buffer.concat(value.split(',').map((protocol) => protocolOctets(protocol, source)));
    case 3:
      if (!/^\d+$/.test(value) || Number(value) > 65535)
        throw new Error(`"${source}" has the port "${value}"; use a number up to 65535`);
      return numberOctets(Number(value), 2);
    case 4:
      return Buffer.concat(value.split(',').map(parseIpv4));
    case 5:
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value))
        throw new Error(`"${source}" has an ech value that is not base64`);
      return Buffer.from(value, 'base64');
    case 6:
      return Buffer.concat(value.split(',').map(parseIpv6));
    default:
      return unescapeText(value);
  }
}

function mandatoryKeys(value: string, source: string): number[] {
  const keys = value.split(',').map((name) => {
    const key = keyOf(name.toLowerCase());
    if (key === undefined || key === 0)
      throw new Error(`"${source}" lists "${name}" as mandatory; list other parameters' names`);
    return key;
  });
  return keys.sort((a, b) => a - b);
}

function protocolOctets(protocol: string, source: string): Buffer {
  const octets = unescapeText(protocol);
  if (octets.length === 0 || octets.length > 255) {
    throw new Error(`"${source}" has an alpn entry of ${octets.length} octets; use 1 to 255, such as h2`);
  }
  return Buffer.concat([Buffer.from([octets.length]), octets]);
}

function checkParameters(priority: number, parameters: readonly Parameter[], source: string): void {
  // RFC 9460 section 2.4.2: what an alias carries is ignored by its readers, so it can only be a mistake.
  if (priority === 0 && parameters.length > 0) {
    throw new Error(
      `"${source}" has parameters although priority 0 makes it an alias; use a priority from 1 on`,
    );
  }
  const given = new Set(parameters.map(({ key }) => key));
  if (given.size < parameters.length) throw new Error(`"${source}" gives a parameter twice; give each once`);
  const mandatory = parameters.find(({ key }) => key === 0)?.octets;
  for (let at = 0; mandatory !== undefined && at < mandatory.length; at += 2) {
    if (!given.has(mandatory.readUInt16BE(at)))
      throw new Error(`"${source}" lists a parameter as mandatory that it does not give`);
  }
}
