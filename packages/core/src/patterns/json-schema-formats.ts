import { isIPv6 } from 'node:net';
import type { Format } from 'ajv';
import { onFirstUse } from '../values/library.js';

type TextFormat = (text: string) => boolean;
type CompileFormat = (source: string) => { test(text: string): boolean };

const library = onFirstUse<{ readonly fullFormats: Readonly<Record<string, Format>> }>(
  'ajv-formats/dist/formats',
);

/** Longer texts have none of the formats that are read by functions. */
const MAX_LENGTH = 1_000;
const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const SCHEME = /^[a-z][a-z0-9+\-.]{0,99}:/i;

/**
 * The formats of ajv-formats, whose regular expressions run in linear time here. Those that RE2 cannot have, since they
 * look ahead, are written anew.
 */
export function jsonSchemaFormats(regExp: CompileFormat): Record<string, Format> {
  const formats: Record<string, Format> = {};
  for (const [name, format] of Object.entries(library().fullFormats)) {
    const own = OWN[name];
    if (own !== undefined) formats[name] = short(own(regExp));
    else if (format instanceof RegExp) formats[name] = lazily(regExp, sourceOf(format));
    else if (typeof format === 'object' && typeof format.validate === 'function' && format.type !== 'number')
      formats[name] = { ...format, validate: short(format.validate as TextFormat) } as Format;
    else formats[name] = format;
  }
  return formats;
}

const OWN: Readonly<Record<string, (regExp: CompileFormat) => TextFormat>> = {
  byte: () => (text) => text.length % 4 === 0 && Buffer.from(text, 'base64').toString('base64') === text,
  duration: (regExp) => {
    const form = lazily(
      regExp,
      '^P(?:(?:\\d+Y)?(?:\\d+M)?(?:\\d+D)?(?:T(?:\\d+H)?(?:\\d+M)?(?:\\d+S)?)?|\\d+W)$',
    );
    return (text) => text !== 'P' && !text.endsWith('T') && form(text);
  },
  hostname: (regExp) => {
    const form = lazily(regExp, `(?i)^${LABEL}(?:\\.${LABEL})*\\.?$`);
    return (text) => text.length <= 254 && form(text);
  },
  ipv6: () => (text) => !text.includes('%') && isIPv6(text),
  regex: () => (text) => {
    try {
      new RegExp(text, 'u');
      return true;
    } catch {
      return false;
    }
  },
  uri: (regExp) => {
    const reference = library().fullFormats['uri-reference'];
    const form = lazily(regExp, reference instanceof RegExp ? sourceOf(reference) : '');
    return (text) => SCHEME.test(text) && form(text);
  },
  url: () => (text) => /^(?:https?|ftp):\/\/[^\s/?#]/i.test(text) && !/\s/.test(text) && URL.canParse(text),
};

/** Compiled when a value is first looked at. */
function lazily(regExp: CompileFormat, source: string): TextFormat {
  let compiled: ReturnType<CompileFormat> | undefined;
  return (text) => (compiled ??= regExp(source)).test(text);
}

function short(format: TextFormat): TextFormat {
  return (text) => text.length <= MAX_LENGTH && format(text);
}

function sourceOf({ source, ignoreCase }: RegExp): string {
  return ignoreCase ? `(?i)${source}` : source;
}
