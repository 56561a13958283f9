import { loremWords } from '../fake-data.js';
import { COST } from '../run.js';
import { escapeXml, JsonText, toJson } from '../text-forms.js';
import { numberOf, textOf, wordOf, type Helper } from './arguments.js';

const MAX_WORDS = 10_000;

/** The helpers that make a text of their arguments. */
export const TEXT_HELPERS: Readonly<Record<string, Helper>> = {
  upper: onText('upper request.params.name', (text) => text.toUpperCase()),
  lower: onText('lower request.params.name', (text) => text.toLowerCase()),
  trim: onText('trim request.body.name', (text) => text.trim()),
  base64_decode: onText('base64_decode request.body.data', (text) =>
    Buffer.from(text, 'base64').toString('utf8'),
  ),
  // The round trip replaces lone surrogates, which encodeURIComponent refuses.
  url_encode: onText(
    'url_encode request.query.next',
    (text) => encodeURIComponent(Buffer.from(text).toString()),
    COST.encoded,
  ),
  xml_escape: onText('xml_escape request.body.name', escapeXml, COST.encoded),
  raw: {
    usage: `raw "{{name}}"`,
    fewest: 1,
    most: 1,
    make: ([argument]) => textOf(argument),
  },
  default: {
    usage: 'default request.query.page "1"',
    fewest: 2,
    most: 2,
    make:
      ([argument, otherwise]) =>
      (run) => {
        const value = argument?.evaluate(run);
        return value === undefined || value === null || value === '' ? otherwise?.evaluate(run) : value;
      },
  },
  json: {
    usage: 'json request.body',
    fewest: 1,
    most: 1,
    make:
      ([argument]) =>
      (run) => {
        const value = argument?.evaluate(run);
        if (isPlain(value)) return new JsonText(run.textOf(value));
        const text = toJson(value);
        run.spend(text.length * COST.encoded);
        return new JsonText(text);
      },
  },
  lorem: {
    usage: 'lorem 20',
    fewest: 0,
    most: 1,
    make([count]) {
      const rule = { helper: 'lorem', name: 'the number of words', whole: true, min: 0, max: MAX_WORDS };
      const words = numberOf(count, { ...rule, otherwise: 10 });
      return (run) => {
        const wanted = words.get(run) || 0;
        run.spend(wanted * COST.drawn);
        return loremWords(wanted);
      };
    },
  },
  state: {
    usage: 'state "key"',
    fewest: 1,
    most: 1,
    make([key]) {
      const name = wordOf(key);
      return (run) => run.scope.state(name.get(run));
    },
  },
};

function onText(usage: string, change: (text: string) => string, cost: number = COST.changed): Helper {
  return {
    usage,
    fewest: 1,
    most: 1,
    make([argument]) {
      const text = textOf(argument);
      return (run) => {
        const given = text(run);
        run.spend(given.length * cost);
        return change(given);
      };
    },
  };
}

/** Whether a value is a list or an object whose text is its JSON. */
function isPlain(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof Uint8Array)
  );
}
