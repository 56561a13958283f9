import { goLayout, plainPath, quote, type Dialect } from '../handlebars/translate.js';
import type { Call, Expression } from '../handlebars/parse-tag.js';
import { standardJsonPath } from './pattern.js';

const UNITS: Readonly<Record<string, string>> = { second: 's', minute: 'm', hour: 'h', day: 'd' };
const CHARACTERS: Readonly<Record<string, string>> = {
  ALPHANUMERIC: 'alphanumeric',
  ALPHABETIC: 'lower',
  NUMERIC: 'numeric',
  HEXADECIMAL: 'hex',
  ALPHANUMERIC_AND_SYMBOLS: 'alphanumeric',
};

/** @param hasNames - whether the path of the stub is a template, whose names `request.path.name` gives */
export function dialectOf(hasNames: boolean): Dialect {
  return { path: (path) => pathOf(path, hasNames), call: callOf };
}

function pathOf(path: string, hasNames: boolean): string | undefined {
  const plain = plainPath(path);
  if (plain === undefined) return undefined;
  if (plain === 'request.body' || plain === 'request.bodyAsString') return 'request.raw_body';
  if (plain === 'request.url') return 'request.target';
  if (plain === 'request.host') return 'request.headers.host';
  if (plain === 'request.method' || plain === 'request.path' || plain === 'request.clientIp')
    return plain === 'request.clientIp' ? 'request.remote' : plain;
  const name = /^request\.path\.([A-Za-z_][\w-]*)$/.exec(plain)?.[1];
  if (name !== undefined) return hasNames ? `request.params.${name}` : undefined;
  const field = /^request\.(query|headers|cookies|formData)\.([\w-]+)(\.0)?$/.exec(plain);
  if (field === null) return undefined;
  return `request.${field[1] === 'formData' ? 'form' : field[1]}.${field[2]}`;
}

function callOf(
  call: Call,
  value: (expression: Expression | undefined) => string | undefined,
): string | undefined {
  const { name, values, named } = call;
  const [first, second] = values;
  const text = (expression: Expression | undefined): string | undefined =>
    expression?.type === 'text'
      ? expression.text
      : expression?.type === 'number'
        ? String(expression.number)
        : undefined;
  switch (name) {
    case 'now':
    case 'date':
      return name === 'now' || first === undefined
        ? dateOf(text(named.get('format')), text(named.get('offset')))
        : undefined;
    case 'randomValue':
      return randomOf(text(named.get('type')), text(named.get('length')));
    case 'randomInt':
      return `rand_int ${text(named.get('lower')) ?? '0'} ${text(named.get('upper')) ?? '1000000'}`;
    case 'randomDecimal':
      return `rand_float ${text(named.get('lower')) ?? '0'} ${text(named.get('upper')) ?? '1000'} 2`;
    case 'pickRandom': {
      const all = values.map(value);
      return all.length === 0 || all.includes(undefined) ? undefined : `pick ${all.join(' ')}`;
    }
    case 'jsonPath': {
      const query = standardJsonPath(text(second) ?? '');
      const of = value(first);
      const quoted = query === undefined ? undefined : quote(query);
      return quoted === undefined || of === undefined ? undefined : `json_path ${of} ${quoted}`;
    }
    case 'xPath':
    case 'soapXPath': {
      const of = value(first);
      const quoted = quote(text(second) ?? '');
      return quoted === undefined || of === undefined ? undefined : `xpath ${of} ${quoted}`;
    }
    case 'base64': {
      const of = value(first);
      if (of === undefined) return undefined;
      return named.has('decode') ? `base64_decode ${of}` : `base64 ${of}`;
    }
    case 'urlEncode': {
      const of = value(first);
      return of === undefined || named.has('decode') ? undefined : `url_encode ${of}`;
    }
    case 'upper':
    case 'lower':
    case 'trim':
    case 'join':
    case 'size': {
      const all = values.map(value);
      if (all.length === 0 || all.includes(undefined)) return undefined;
      return name === 'size' ? `length ${all[0]}` : `${name} ${all.join(' ')}`;
    }
    default:
      return undefined;
  }
}

function dateOf(format: string | undefined, offset: string | undefined): string | undefined {
  const layout =
    format === undefined
      ? 'rfc3339'
      : format === 'epoch'
        ? 'unix_ms'
        : format === 'unix'
          ? 'unix'
          : goLayout(format);
  const quoted = layout === undefined ? undefined : quote(layout);
  if (quoted === undefined) return undefined;
  if (offset === undefined) return format === undefined ? 'now' : `date ${quoted}`;
  const [, amount, unit = ''] = /^(-?\d{1,6})\s+(second|minute|hour|day)s?$/.exec(offset.trim()) ?? [];
  const short = UNITS[unit];
  return amount === undefined || short === undefined ? undefined : `date_add ${quoted} "${amount}${short}"`;
}

function randomOf(type: string | undefined, length: string | undefined): string | undefined {
  if (type === 'UUID') return 'uuid';
  const characters = CHARACTERS[type ?? 'ALPHANUMERIC'];
  return characters === undefined ? undefined : `rand_string ${length ?? '36'} "${characters}"`;
}
