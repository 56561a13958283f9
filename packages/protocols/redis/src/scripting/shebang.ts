import { fail } from '../wire/errors.js';

const FLAGS = new Set(['no-writes', 'allow-oom', 'allow-stale', 'no-cluster', 'allow-cross-slot-keys']);

/** What the first line of a script says (redis.io, "Script flags"). */
export interface Shebang {
  /** Absent: there is no such line, and the script is compatible with older versions. */
  readonly flags: ReadonlySet<string> | undefined;
  /** The script without the line, whose end stays, so that lines keep their numbers. */
  readonly body: string;
}

/** @throws CommandError for a line that is not understood */
export function readShebang(text: string): Shebang {
  if (!text.startsWith('#!')) return { flags: undefined, body: text };
  const end = text.indexOf('\n');
  if (end < 0) fail('ERR Invalid script shebang');
  const [engine = '', ...options] = text.slice(2, end).split(' ');
  if (engine !== 'lua') fail(`ERR Unexpected engine in script shebang: #!${engine}`);
  const flags = new Set<string>();
  for (const option of options) {
    if (!option.startsWith('flags=')) fail(`ERR Unknown lua shebang option: ${option}`);
    for (const flag of option.slice('flags='.length).split(',')) {
      if (!FLAGS.has(flag)) fail(`ERR Unexpected flag in script shebang: ${flag}`);
      flags.add(flag);
    }
  }
  return { flags, body: text.slice(end) };
}
