import { invalid, type Imported, type Importer, type Json } from '@backlot/core/plugin';
import { fromWire, toWire } from '../wire/latin.js';

const MOST_ITEMS = 200_000;
const MONTH = 30 * 86_400;
/** The command of one item, and a byte count that its value must have. */
const COMMAND = /^(?:add|set) ([^\s\0-\x1f]{1,250}) (\d{1,10}) (-?\d{1,12}) (\d{1,10})$/;

/** What `memcached-tool HOST dump` prints: a command of the text protocol for each item. */
const dump: Importer = {
  format: 'memcached',
  title: 'memcached-tool dump',
  detect({ bytes }) {
    const head = latin1(bytes.subarray(0, 400));
    const line = /^[^\n]*/.exec(head)?.[0].trimEnd() ?? '';
    return COMMAND.test(line) ? 'sure' : undefined;
  },
  *convert({ bytes }, notes): Generator<undefined, Imported, undefined> {
    const text = latin1(bytes);
    const items = new Map<string, Json>();
    let at = 0;
    while (at < text.length) {
      yield;
      const place = `byte ${at}`;
      const end = lineEnd(text, at);
      const line = text.slice(at, end).trimEnd();
      at = end + 1;
      if (line === '') continue;
      const found = COMMAND.exec(line);
      if (found === null) {
        notes.refused(place, 'a line that is no command of an item is left out');
        continue;
      }
      const [, key = '', flags = '', exptime = '', length = ''] = found;
      const value = text.slice(at, at + Number(length));
      at += Number(length);
      if (value.length < Number(length) || !/^(?:\r?\n|$)/.test(text.slice(at, at + 2))) {
        notes.refused(
          place,
          'an item whose value has another length than it says is left out, and all behind it',
        );
        break;
      }
      at = lineEnd(text, at) + 1;
      const name = fromWire(key);
      if (toWire(name) !== key || Number(flags) > 0xffff_ffff) {
        notes.refused(
          place,
          'items with keys that are no UTF-8, or with flags of more than 32 bits, are left out',
        );
        continue;
      }
      const seconds = Number(exptime);
      if (seconds > MONTH)
        notes.approximated(
          place,
          'items that go away stay: the file has the moment, and not how long they stay',
        );
      if (items.size >= MOST_ITEMS)
        throw invalid(`the file has more than ${MOST_ITEMS} items; import fewer at once`);
      items.set(name, {
        key: name,
        ...valueOf(value),
        ...(flags === '0' ? {} : { flags: Number(flags) }),
        ...(seconds > 0 && seconds <= MONTH ? { ttl: `${seconds}s` } : {}),
      });
    }
    const entries = [...items.values()];
    return {
      protocols: { memcached: { items: entries } },
      data: { memcached: { items: { section: 'items', entries } } },
    };
  },
};

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

function valueOf(value: string): Json {
  const text = fromWire(value);
  return toWire(text) === value
    ? { value: text }
    : { value_base64: Buffer.from(value, 'latin1').toString('base64') };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The formats that become items. */
export const importers: readonly Importer[] = [dump];
