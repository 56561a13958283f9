import { fromJson, type DescMessage, type JsonValue, type MessageShape } from '@bufbuild/protobuf';
import { integerText } from './integers.js';
import type { Tokens } from './tokens.js';

/** Values of options as JSON has them, by name. */
export type OptionValues = Record<string, JsonValue>;

/** Deeper than this no value of an option goes. */
const MAX_DEPTH = 32;

/** An object for names of whoever wrote the file. */
export function emptyOptions(): OptionValues {
  return Object.create(null) as OptionValues;
}

/**
 * Reads `[a = 1, (b).c = "d"]` when it is there.
 *
 * @param readDefault - reads the value of `default`, which is no option
 */
export function readBrackets(tokens: Tokens, into: OptionValues, readDefault?: () => void): void {
  if (!tokens.takeIf('[')) return;
  do {
    if (readDefault !== undefined && tokens.takeIf('default')) {
      tokens.expect('=');
      readDefault();
    } else readOption(tokens, into);
  } while (tokens.takeIf(','));
  tokens.expect(']');
}

/**
 * Reads `name = value`. Options of the language alone are kept: what extends `google.protobuf.FieldOptions` and its like
 * means nothing to a server.
 */
export function readOption(tokens: Tokens, into: OptionValues): void {
  const path: string[] = [];
  let isCustom = false;
  do {
    if (tokens.takeIf('(')) {
      isCustom = true;
      readTypeName(tokens);
      tokens.expect(')');
    } else path.push(tokens.takeA('name', 'the name of an option'));
    if (path.length > MAX_DEPTH) throw tokens.fail(`an option is nested deeper than ${MAX_DEPTH} levels`);
  } while (tokens.takeIf('.'));
  tokens.expect('=');
  const value = readValue(tokens, 0);
  if (isCustom) return;
  const last = path.pop() ?? '';
  let here = into;
  for (const step of path) {
    const inner = (here[step] ??= emptyOptions());
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner))
      throw tokens.fail(`the option "${step}" is no message`);
    here = inner;
  }
  here[last] = value;
}

/** A name with dots, perhaps with one in front. */
export function readTypeName(tokens: Tokens): string {
  let name = tokens.takeIf('.') ? '.' : '';
  name += tokens.takeA('name', 'the name of a type');
  while (tokens.takeIf('.')) name += `.${tokens.takeA('name', 'a name')}`;
  return name;
}

/** Strings that follow each other are one; one character per byte. */
export function readBytes(tokens: Tokens): string {
  let text = tokens.takeA('text', 'a string');
  while (tokens.next.kind === 'text') text += tokens.take().text;
  return text;
}

/** A string as text. */
export function readText(tokens: Tokens): string {
  return textOf(readBytes(tokens));
}

/** The text of bytes that stand one per character. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The options message of these values; what the language does not know is left out. @throws ProtoSyntaxError */
export function makeOptions<T extends DescMessage>(
  type: T,
  values: OptionValues,
  tokens: Tokens,
): MessageShape<T> | undefined {
  if (Object.keys(values).length === 0) return undefined;
  try {
    return fromJson(type, values, { ignoreUnknownFields: true });
  } catch (thrown) {
    throw tokens.fail(`an option is wrong: ${thrown instanceof Error ? thrown.message.slice(0, 300) : ''}`);
  }
}

function readValue(tokens: Tokens, depth: number): JsonValue {
  if (depth > MAX_DEPTH) throw tokens.fail(`an option is nested deeper than ${MAX_DEPTH} levels`);
  if (tokens.next.kind === 'text') return readText(tokens);
  if (tokens.takeIf('{')) return readAggregate(tokens, '}', depth);
  if (tokens.takeIf('<')) return readAggregate(tokens, '>', depth);
  if (tokens.takeIf('[')) {
    const list: JsonValue[] = [];
    while (!tokens.takeIf(']')) {
      list.push(readValue(tokens, depth + 1));
      if (tokens.next.text !== ']') tokens.expect(',');
    }
    return list;
  }
  const sign = tokens.takeIf('-') ? '-' : (tokens.takeIf('+'), '');
  const { kind, text } = tokens.next;
  if (kind !== 'name' && kind !== 'number') throw tokens.unexpected('a value');
  tokens.take();
  if (kind === 'number') return numberOf(sign, text);
  if (sign === '' && (text === 'true' || text === 'false')) return text === 'true';
  return sign + text;
}

/** The fields of a message in the text format: `name: value`, `name { ... }`, `[a.extension]: value`. */
function readAggregate(tokens: Tokens, end: string, depth: number): JsonValue {
  const fields = emptyOptions();
  while (!tokens.takeIf(end)) {
    let name: string | undefined;
    if (tokens.takeIf('[')) {
      readTypeName(tokens);
      if (tokens.takeIf('/')) readTypeName(tokens);
      tokens.expect(']');
    } else name = tokens.takeA('name', 'the name of a field');
    const hasColon = tokens.takeIf(':');
    if (!hasColon && tokens.next.text !== '{' && tokens.next.text !== '<') throw tokens.unexpected('":"');
    const value = readValue(tokens, depth + 1);
    if (name !== undefined) fields[name] = value;
    if (!tokens.takeIf(',')) tokens.takeIf(';');
  }
  return fields;
}

/** Numbers of any notation: small ones as numbers, others as their decimal text, which JSON takes for 64 bits. */
function numberOf(sign: string, text: string): JsonValue {
  if (!/^(?:0[xX]|\d+$)/.test(text)) return Number(sign + text);
  const integer = integerText(sign, text);
  return integer.length <= 10 ? Number(integer) : integer;
}
