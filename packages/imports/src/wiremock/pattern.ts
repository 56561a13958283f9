import type { ImportNotes } from '@backlot/core/plugin';
import { exactly, escapeRegex } from '../shared/answer.js';
import { isTree, listOf, textOf, type Tree } from '@backlot/contracts';

const DEEPEST = 20;

/** A matcher of WireMock as a pattern; `undefined` when it cannot be one. */
export function patternOf(
  given: unknown,
  notes: ImportNotes,
  place: string,
  depth = 0,
): string | Tree | undefined {
  const text = textOf(given);
  if (text !== undefined) return exactly(text);
  if (!isTree(given) || depth > DEEPEST) return undefined;
  const all: (string | Tree)[] = [];
  const add = (pattern: string | Tree | undefined): void => {
    if (pattern !== undefined) all.push(pattern);
  };
  const nested = (value: unknown): string | Tree | undefined => patternOf(value, notes, place, depth + 1);
  const list = (value: unknown): (string | Tree)[] =>
    listOf(value)
      .map(nested)
      .filter((one) => one !== undefined);
  for (const [name, value] of Object.entries(given)) {
    const word = textOf(value) ?? '';
    switch (name) {
      case 'equalTo':
        add(given['caseInsensitive'] === true ? { regex: `(?i)^${escapeRegex(word)}$` } : exactly(word));
        break;
      case 'contains':
        add({ contains: word });
        break;
      case 'doesNotContain':
        add({ not: { contains: word } });
        break;
      case 'matches':
        add({ regex: `^(?:${word})$` });
        break;
      case 'doesNotMatch':
        add({ not: { regex: `^(?:${word})$` } });
        break;
      case 'absent':
        add({ absent: true });
        break;
      case 'equalToJson':
        add(jsonPattern(value, given, notes, place));
        break;
      case 'matchesJsonPath':
      case 'matchesXPath':
        add(queryPattern(name, value, nested, notes, place));
        break;
      case 'matchesJsonSchema':
        add(schemaPattern(value, notes, place));
        break;
      case 'before':
      case 'after':
        add(datePattern(name, word, notes, place));
        break;
      case 'and':
        add({ all_of: list(value) });
        break;
      case 'or':
      case 'includes':
        add({ any_of: list(value) });
        break;
      case 'hasExactly':
        notes.approximated(place, 'hasExactly is taken as: one of the values is there');
        add({ any_of: list(value) });
        break;
      case 'not': {
        const inner = nested(value);
        if (inner !== undefined) add({ not: inner });
        break;
      }
      case 'binaryEqualTo':
        notes.approximated(place, 'bytes of a body are not compared');
        break;
      case 'anything':
        add({ present: true });
        break;
      case 'caseInsensitive':
      case 'ignoreArrayOrder':
      case 'ignoreExtraElements':
      case 'schemaVersion':
      case 'xPathNamespaces':
        break;
      default:
        notes.approximated(place, `the matcher ${name.slice(0, 100)} has no counterpart and is left out`);
    }
  }
  return all.length > 1 ? { all_of: all } : all[0];
}

function jsonPattern(value: unknown, given: Tree, notes: ImportNotes, place: string): Tree | undefined {
  const wanted = typeof value === 'string' ? parse(value) : value;
  if (wanted === undefined) {
    notes.refused(place, 'equalToJson holds no JSON; it is left out');
    return undefined;
  }
  if (JSON.stringify(wanted).includes('${json-unit'))
    notes.approximated(place, 'placeholders of JsonUnit are compared as the texts that they are');
  return {
    json: {
      ...(given['ignoreExtraElements'] === true ? { partial: wanted } : { equals: wanted }),
      ...(given['ignoreArrayOrder'] === true ? { ignore_order: true } : {}),
    },
  };
}

function queryPattern(
  name: string,
  value: unknown,
  nested: (value: unknown) => string | Tree | undefined,
  notes: ImportNotes,
  place: string,
): Tree | undefined {
  const word = name === 'matchesJsonPath' ? 'json_path' : 'xpath';
  if (isTree(value)) {
    const { expression, ...rest } = value;
    const is = nested(rest);
    return query(word, textOf(expression) ?? '', is, notes, place);
  }
  return query(word, textOf(value) ?? '', undefined, notes, place);
}

function query(
  word: 'json_path' | 'xpath',
  path: string,
  is: string | Tree | undefined,
  notes: ImportNotes,
  place: string,
): Tree | undefined {
  const standard = word === 'json_path' ? standardJsonPath(path) : path;
  if (standard === undefined || standard === '') {
    notes.approximated(place, `the query ${path.slice(0, 100)} is none of RFC 9535 and is left out`);
    return undefined;
  }
  return is === undefined ? { [word]: standard } : { [word]: { path: standard, is } };
}

/** An expression of Jayway's JsonPath as one of RFC 9535; `undefined` when it has what that has not. */
export function standardJsonPath(path: string): string | undefined {
  if (!path.startsWith('$') || path.length > 1900) return undefined;
  const words = path
    .replaceAll(/=~\s*\/[^/]*\/i?/g, '\u0001')
    .replaceAll(/\[\?\((.*?)\)\]/g, '[?$1]')
    .replaceAll(/\.([A-Za-z_]+)\(\)/g, '\u0001');
  return words.includes('\u0001') || /\s(in|nin|subsetof|size|empty)\s/.test(words) ? undefined : words;
}

function schemaPattern(value: unknown, notes: ImportNotes, place: string): Tree | undefined {
  const schema = typeof value === 'string' ? parse(value) : value;
  if (!isTree(schema)) {
    notes.refused(place, 'matchesJsonSchema holds no schema; it is left out');
    return undefined;
  }
  const known = /draft-0?[67]|2019-09|2020-12/.test(textOf(schema['$schema']) ?? '2020-12');
  const { $schema: _version, ...rest } = schema;
  return { json_schema: known ? schema : rest };
}

function datePattern(name: string, word: string, notes: ImportNotes, place: string): Tree | undefined {
  const relative = /^now(?:\s*([+-])\s*(\d{1,6})\s*(second|minute|hour|day)s?)?$/.exec(word.trim());
  if (relative !== null) {
    const [, sign = '', amount = '', unit = ''] = relative;
    return { [name]: `now${sign}${amount}${unit.charAt(0)}` };
  }
  if (/^\d{4}-\d\d-\d\d(T.*Z)?$/.test(word)) return { [name]: word };
  notes.approximated(place, `the date "${word.slice(0, 60)}" is not known and is left out`);
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
