import { plainPath, quote, goLayout, type Dialect } from '../handlebars/translate.js';
import type { Expression } from '../handlebars/parse-tag.js';
import { parameterName } from '../openapi/paths.js';
import type { Bucket } from './buckets.js';

/** Values of faker that we make ourselves. */
const FAKE: Readonly<Record<string, string>> = {
  'person.firstName': 'fake "first_name"',
  'person.lastName': 'fake "last_name"',
  'person.fullName': 'fake "name"',
  'internet.email': 'fake "email"',
  'internet.userName': 'fake "username"',
  'internet.username': 'fake "username"',
  'internet.url': 'fake "url"',
  'phone.number': 'fake "phone"',
  'company.name': 'fake "company"',
  'location.city': 'fake "city"',
  'location.country': 'fake "country"',
  'location.street': 'fake "street"',
  'location.zipCode': 'fake "zip"',
  'lorem.word': 'fake "word"',
  'lorem.sentence': 'fake "sentence"',
  'string.uuid': 'uuid',
  'number.int': 'rand_int 0 1000000',
  'datatype.boolean': 'rand_bool',
};

/** Where helpers of Mockoon that take a path read it. */
const PLACES: Readonly<Record<string, string>> = {
  body: 'request.body',
  bodyRaw: 'request.body',
  queryParam: 'request.query',
  queryParamRaw: 'request.query',
  header: 'request.headers',
  cookie: 'request.cookies',
};

/** @param buckets - the data buckets, whose plain values can be inserted */
export function dialectOf(buckets: ReadonlyMap<string, Bucket>): Dialect {
  return {
    path: () => undefined,
    call({ name, values }, value) {
      const [first, second] = values;
      const text = textOf(first);
      const place = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined;
      if (place !== undefined || name === 'urlParam') {
        if (text === undefined || text === '') return name === 'body' ? 'request.raw_body' : undefined;
        const inner = name === 'urlParam' ? parameterName(text) : plainPath(text);
        const path = inner === undefined ? undefined : `${place ?? 'request.params'}.${inner}`;
        const other = value(second);
        return path === undefined || other === undefined ? path : `default ${path} ${other}`;
      }
      switch (name) {
        case 'method':
          return 'request.method';
        case 'ip':
          return 'request.remote';
        case 'hostname':
          return 'request.headers.host';
        case 'uuid':
        case 'guid':
          return 'uuid';
        case 'now': {
          const layout = text === undefined ? undefined : goLayout(text);
          const quoted = layout === undefined ? undefined : quote(layout);
          return text === undefined ? 'now' : quoted === undefined ? undefined : `date ${quoted}`;
        }
        case 'faker':
          return text === undefined ? undefined : FAKE[text];
        case 'base64':
        case 'lowercase':
        case 'uppercase': {
          const of = value(first);
          return of === undefined ? undefined : `${name === 'base64' ? name : name.slice(0, 5)} ${of}`;
        }
        case 'int':
          return `rand_int ${numberOf(first) ?? 0} ${numberOf(second) ?? 1000}`;
        case 'data':
        case 'dataRaw': {
          const bucket = buckets.get(text ?? '')?.text;
          return bucket === undefined || values.length > 1 ? undefined : rawOf(bucket);
        }
        default:
          return undefined;
      }
    },
  };
}

/** A text of one line that is inserted as it is. */
function rawOf(text: string): string | undefined {
  const quoted = /\n|\{\{/.test(text) ? undefined : quote(text);
  return quoted === undefined ? undefined : `raw ${quoted}`;
}

function textOf(expression: Expression | undefined): string | undefined {
  return expression?.type === 'text' ? expression.text : undefined;
}

function numberOf(expression: Expression | undefined): number | undefined {
  return expression?.type === 'number' ? expression.number : undefined;
}
