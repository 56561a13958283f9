import type { SpaceDoor, SpaceDoors } from '@backlot/core/plugin';

const HEADER = 'backlot-space';
const BAGGAGE = 'baggage';
const BAGGAGE_KEY = 'backlot.space';
const LOCAL = /^([a-z0-9-]+)\.localhost(?::\d+)?$/i;

/**
 * The way into the space that a request names: by the header `Backlot-Space`, by the entry `backlot.space` of the header
 * `baggage` (W3C Baggage), or by a host `<space>.localhost`; the first of these counts.
 *
 * @param raw - names and values of headers in turn
 * @returns undefined when it names none, or the one that it came to
 * @throws BacklotError `not_found` when a header names a space that is not there; another host is nothing special
 */
export function spaceOfRequest(spaces: SpaceDoors, raw: readonly string[]): SpaceDoor | undefined {
  let byBaggage: string | undefined;
  let byHost: string | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const { length } = raw[index] as string;
    // Most names have another length, so that nearly every request costs these comparisons alone.
    if (length !== HEADER.length && length !== BAGGAGE.length && length !== 4 && length !== 10) continue;
    const name = (raw[index] as string).toLowerCase();
    const value = raw[index + 1] ?? '';
    if (name === HEADER) return spaces.get(value.trim());
    if (name === BAGGAGE) byBaggage ??= spaceInBaggage(value);
    else if (name === 'host' || name === ':authority') byHost = value;
  }
  if (byBaggage !== undefined) return spaces.get(byBaggage);
  const label = byHost === undefined || byHost.length < 11 ? undefined : LOCAL.exec(byHost)?.[1];
  return label === undefined ? undefined : spaces.find(label.toLowerCase());
}

function spaceInBaggage(value: string): string | undefined {
  for (const member of value.split(',')) {
    const [pair = ''] = member.split(';');
    const end = pair.indexOf('=');
    if (end < 0 || pair.slice(0, end).trim() !== BAGGAGE_KEY) continue;
    const space = pair.slice(end + 1).trim();
    try {
      return decodeURIComponent(space);
    } catch {
      return space;
    }
  }
  return undefined;
}
