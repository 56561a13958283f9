import { invalid } from '@backlot/core/plugin';

/** `text/plain; charset=utf-8`. */
export const TEXT_FORMAT = 0;
/** `application/link-format`. */
export const LINK_FORMAT = 40;
/** `application/octet-stream`. */
export const OCTETS_FORMAT = 42;
/** `application/json`. */
export const JSON_FORMAT = 50;

const HIGHEST = 65_535;

// The registry "CoAP Content-Formats" of IANA, without entries that need parameters.
const NAMES: ReadonlyMap<number, string> = new Map([
  [TEXT_FORMAT, 'text/plain'],
  [21, 'image/gif'],
  [22, 'image/jpeg'],
  [23, 'image/png'],
  [LINK_FORMAT, 'application/link-format'],
  [41, 'application/xml'],
  [OCTETS_FORMAT, 'application/octet-stream'],
  [47, 'application/exi'],
  [JSON_FORMAT, 'application/json'],
  [51, 'application/json-patch+json'],
  [52, 'application/merge-patch+json'],
  [60, 'application/cbor'],
  [61, 'application/cwt'],
  [62, 'application/multipart-core'],
  [63, 'application/cbor-seq'],
  [101, 'application/cose-key'],
  [102, 'application/cose-key-set'],
  [110, 'application/senml+json'],
  [111, 'application/sensml+json'],
  [112, 'application/senml+cbor'],
  [113, 'application/sensml+cbor'],
  [114, 'application/senml-exi'],
  [115, 'application/sensml-exi'],
  [256, 'application/coap-group+json'],
  [257, 'application/concise-problem-details+cbor'],
  [310, 'application/senml+xml'],
  [311, 'application/sensml+xml'],
  [432, 'application/td+json'],
  [10_000, 'application/vnd.ocf+cbor'],
  [20_000, 'text/css'],
  [30_000, 'image/svg+xml'],
]);

const NUMBERS: ReadonlyMap<string, number> = new Map(
  [...NAMES].flatMap(([number, name]) => [
    [name, number] as const,
    // Tools for CoAP write them short: "json", "cbor", "link-format".
    [name.slice(name.indexOf('/') + 1), number] as const,
  ]),
);

/** The media type of a content format, or its number when it has no name here. */
export function nameOfFormat(number: number): string {
  return NAMES.get(number) ?? String(number);
}

/**
 * Reads a content format: a number, or a media type with or without what stands before the slash.
 *
 * @throws BacklotError `invalid` for a name without a number
 */
export function parseFormat(source: string | number): number {
  if (typeof source === 'number') return source;
  const name = source.replace(/;.*$/s, '').trim().toLowerCase();
  const number = /^\d+$/.test(name) ? Number(name) : name === 'text' ? TEXT_FORMAT : NUMBERS.get(name);
  if (number === undefined || number > HIGHEST) {
    throw invalid(
      `${JSON.stringify(source)} is not a content format; give a number up to ${HIGHEST} or a name such as text/plain, application/json or application/cbor`,
    );
  }
  return number;
}
