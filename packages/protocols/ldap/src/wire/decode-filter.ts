import { KeptBytes } from '@backlot/kit';
import { DirectoryError } from '../data/directory-error.js';
import { assertion, describe, type Filter } from '../data/filter.js';
import { RESULT } from '../result-codes.js';
import type { BerReader } from './ber-reader.js';
import { ProtocolError } from './protocol-error.js';
import { TAG } from './tags.js';

/** Tags of a filter's choices (RFC 4511, section 4.5.1). */
const CHOICE = {
  and: 0xa0,
  or: 0xa1,
  not: 0xa2,
  equal: 0xa3,
  substrings: 0xa4,
  greater: 0xa5,
  less: 0xa6,
  present: 0x87,
  approx: 0xa8,
  extensible: 0xa9,
} as const;

/** The journal keeps filters, and is not to keep what was received with them. */
const kept = new KeptBytes();

/**
 * Reads the filter of a search. How deep filters are within each other is bounded already: messages are checked before.
 *
 * @param budget - how many parts it may have
 * @throws ProtocolError, DirectoryError when there are more
 */
export function decodeFilter(reader: BerReader, budget: { left: number }): Filter {
  const { tag } = reader;
  budget.left -= 1;
  if (budget.left < 0)
    throw new DirectoryError(RESULT.adminLimitExceeded, 'the filter has too many parts; 2000 are the most');
  switch (tag) {
    case CHOICE.and:
    case CHOICE.or: {
      const inside = reader.inside(tag);
      const filters: Filter[] = [];
      while (!inside.isAtEnd) filters.push(decodeFilter(inside, budget));
      return { kind: tag === CHOICE.and ? 'and' : 'or', filters };
    }
    case CHOICE.not:
      return { kind: 'not', filter: decodeFilter(reader.inside(tag), budget) };
    case CHOICE.present:
      return { kind: 'present', ...describe(reader.text(tag)) };
    case CHOICE.equal:
      return { kind: 'equal', ...decodeAssertion(reader.inside(tag)) };
    case CHOICE.greater:
      return { kind: 'greater', ...decodeAssertion(reader.inside(tag)) };
    case CHOICE.less:
      return { kind: 'less', ...decodeAssertion(reader.inside(tag)) };
    case CHOICE.approx:
      return { kind: 'approx', ...decodeAssertion(reader.inside(tag)) };
    case CHOICE.substrings:
      return decodeSubstrings(reader.inside(tag), budget);
    case CHOICE.extensible:
      return decodeExtensible(reader.inside(tag));
    case -1:
      throw new ProtocolError('a filter is missing');
    default:
      // RFC 4511, section 4.5.1.7: what is not recognized is Undefined.
      reader.element();
      return { kind: 'unknown' };
  }
}

function decodeAssertion(reader: BerReader): ReturnType<typeof assertion> {
  const name = reader.text();
  return assertion(name, kept.copy(reader.bytes(TAG.octets)));
}

function decodeSubstrings(reader: BerReader, budget: { left: number }): Filter {
  const described = describe(reader.text());
  const parts = reader.inside(TAG.sequence);
  let initial: Buffer | undefined;
  let final: Buffer | undefined;
  const any: Buffer[] = [];
  if (parts.isAtEnd) throw new ProtocolError('a substring filter has no parts');
  for (let isFirst = true; !parts.isAtEnd; isFirst = false) {
    const { tag } = parts;
    budget.left -= 1;
    if (final !== undefined) throw new ProtocolError('the final part of a substring filter is not its last');
    if (tag === 0x80 && isFirst) initial = kept.copy(parts.bytes(tag));
    else if (tag === 0x81) any.push(kept.copy(parts.bytes(tag)));
    else final = kept.copy(parts.bytes(0x82));
  }
  return { kind: 'substrings', ...described, initial, any, final };
}

function decodeExtensible(reader: BerReader): Filter {
  const rule = reader.tag === 0x81 ? reader.text(0x81) : undefined;
  const name = reader.tag === 0x82 ? reader.text(0x82) : undefined;
  const value = kept.copy(reader.bytes(0x83));
  const withDn = reader.tag === 0x84 && reader.boolean(0x84);
  const attribute = name === undefined ? undefined : describe(name);
  return { kind: 'extensible', rule, attribute, value, withDn };
}
