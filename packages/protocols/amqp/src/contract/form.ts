import type { MessageForm, Place, Tree } from '@backlot/contracts';
import type { CompiledAmqp } from '../matcher.js';

const EXCHANGE = 'exchange';
const QUEUE = 'queue';
/** In place of the name of an exchange: a channel that names none. */
const ANY_EXCHANGE = '';
/** In place of a routing key: an exchange that does not look at it. */
const ANY_KEY = '';

/** Channels are routing keys of the exchange that their binding names, or queues. */
export const FORM: MessageForm = {
  word: 'routing_key',
  bindings: 'amqp',
  placesOf(address, binding) {
    if (binding['is'] === 'queue') return [[QUEUE, textIn(binding, 'queue', 'name') ?? address]];
    const name = textIn(binding, 'exchange', 'name');
    if (name === undefined) return [[EXCHANGE, ANY_EXCHANGE, ...address.split('.')]];
    const exchange = name === 'default' || name === '' ? 'default' : name;
    const place = [EXCHANGE, exchange, ...address.split('.')];
    const type = textIn(binding, 'exchange', 'type');
    return type === 'fanout' || type === 'headers' ? [place, [EXCHANGE, exchange, ANY_KEY]] : [place];
  },
  *messagesOf(mock, compiled) {
    const { response } = compiled as CompiledAmqp;
    const { exchange = '', routing_key: key } = (mock['response'] ?? {}) as Readonly<Record<string, string>>;
    if (response === undefined || key === undefined || `${exchange}${key}`.includes('{{')) return;
    yield { at: '/response', places: placesOf(exchange, key, []), payload: response.bytes };
  },
};

/** Where a message is found: by its exchange and routing key, and by the queues that it gets to. */
export function placesOf(exchange: string, key: string, queues: readonly string[]): readonly Place[] {
  const words = key.split('.');
  const name = exchange === '' ? 'default' : exchange;
  return [
    [EXCHANGE, name, ...words],
    [EXCHANGE, name, ANY_KEY],
    [EXCHANGE, ANY_EXCHANGE, ...words],
    ...(exchange === '' ? [[QUEUE, key]] : []),
    ...queues.map((queue) => [QUEUE, queue]),
  ];
}

function textIn(tree: Tree, member: string, name: string): string | undefined {
  const text = (tree[member] as Tree | null | undefined)?.[name];
  return typeof text === 'string' ? text : undefined;
}
