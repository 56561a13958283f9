import { isTree, textOf, treeOf, treesOf, withoutAbsent, type Tree } from '../shared/trees.js';
import { matchOf } from '../shared/match.js';
import { addressOf, answerAddress, locationOf } from './address.js';
import { contentOf, noteLost, noteUnsaid, takenBy } from './content.js';
import { COMMON_FIELDS } from '../shared/note-effects.js';
import type { KindReader, Operation, ReaderTools, Target } from './document.js';

/** The key of an answer where its document says none. */
const KEY_OF_REQUEST = '{{request.key}}';

function idOf(mock: Tree): string {
  return textOf(mock['id']) ?? 'mock';
}

/** Topics of Kafka, with how many partitions they have. */
const kafka: KindReader = {
  kind: 'kafka',
  protocol: 'kafka',
  secure: 'kafka-secure',
  mock(mock, tools) {
    const address = addressOf(mock['topic'], { one: '*' }, tools);
    if (address === undefined) return [];
    noteUnsaid(mock, ['key', 'headers'], tools);
    noteLost(
      'a mock',
      mock,
      [...COMMON_FIELDS, 'topic', 'key', 'headers', 'value', 'records', 'response'],
      tools,
    );
    noteLost(
      'an answer',
      treeOf(mock['response']),
      ['topic', 'key', 'value', 'value_encoding', 'json', 'headers'],
      tools,
    );
    if (mock['records'] !== undefined)
      tools.approximated('records that are there from the start are left out');
    const response = treeOf(mock['response']);
    if (mock['response'] !== undefined && response['key'] !== KEY_OF_REQUEST)
      tools.approximated('the key of an answer is left out: it is read as that of the request');
    const location = locationOf(response['topic']);
    return [
      withReply(
        {
          id: idOf(mock),
          action: 'receive',
          target: topic(address, tools),
          message: takenBy(mock['value'], tools),
        },
        mock['response'] === undefined
          ? undefined
          : {
              target: topic(location === undefined ? answerAddress(response['topic']) : undefined, tools),
              message: contentOf(response, 'value', response, tools),
              ...(location === undefined ? {} : { location }),
            },
      ),
    ];
  },
  sent: (id, action, tools) =>
    sending(
      id,
      topic(answerAddress(action['topic']), tools),
      contentOf(action, 'value', action, tools),
      tools,
    ),
};

function topic(address: string | undefined, { block }: ReaderTools): Target {
  const declared = treesOf(block['topics'] ?? []).find(({ name }) => name === address);
  const partitions = declared?.['partitions'];
  return { address, ...(partitions === undefined ? {} : { bindings: { kafka: { partitions } } }) };
}

/** Topics of MQTT. */
const mqtt: KindReader = {
  kind: 'mqtt',
  protocol: 'mqtt',
  secure: 'secure-mqtt',
  mock(mock, tools) {
    const address = addressOf(mock['topic'], { one: '+', rest: '#' }, tools);
    if (address === undefined) return [];
    noteUnsaid(mock, ['user_properties', 'content_type', 'response_topic', 'correlation_data'], tools);
    noteLost(
      'a mock',
      mock,
      [
        ...COMMON_FIELDS,
        'topic',
        'payload',
        'user_properties',
        'content_type',
        'response_topic',
        'correlation_data',
        'response',
      ],
      tools,
    );
    noteLost(
      'an answer',
      treeOf(mock['response']),
      ['topic', 'payload', 'json', 'payload_base64', 'qos', 'content_type', 'user_properties'],
      tools,
    );
    const response = treeOf(mock['response']);
    return [
      withReply(
        {
          id: idOf(mock),
          action: 'receive',
          target: { address },
          message: takenBy(mock['payload'], tools),
          ...qosOf(response, tools, []),
        },
        mock['response'] === undefined
          ? undefined
          : { target: { address: answerAddress(response['topic']) }, message: mqttContent(response, tools) },
      ),
    ];
  },
  sent(id, action, tools) {
    const operation = sending(
      id,
      { address: answerAddress(action['topic']) },
      mqttContent(action, tools),
      tools,
    );
    return operation && { ...operation, ...qosOf(action, tools, ['retain']) };
  },
};

function qosOf(fields: Tree, _tools: ReaderTools, further: readonly string[]): { readonly bindings?: Tree } {
  const given = Object.fromEntries(
    ['qos', ...further].flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
  return Object.keys(given).length === 0 ? {} : { bindings: { mqtt: given } };
}

function mqttContent(fields: Tree, tools: ReaderTools): ReturnType<typeof contentOf> {
  const { user_properties: headers, content_type: contentType } = fields;
  if (contentType === undefined) tools.approximated('a content type is written, and what is sent has none');
  return contentOf(fields, 'payload', { headers, contentType }, tools);
}

const BROUGHT = /^\{\{#if request\.reply\}\}\{\{request\.reply\}\}\{\{else\}\}([^]*)\{\{\/if\}\}$/;

/** Subjects of NATS. */
const nats: KindReader = {
  kind: 'nats',
  protocol: 'nats',
  secure: 'nats',
  mock(mock, tools) {
    const address = addressOf(mock['subject'], { one: '*', rest: '>' }, tools);
    if (address === undefined) return [];
    noteUnsaid(mock, ['headers'], tools);
    noteLost(
      'a mock',
      mock,
      [...COMMON_FIELDS, 'subject', 'payload', 'headers', 'queue_group', 'response'],
      tools,
    );
    noteLost(
      'an answer',
      treeOf(mock['response']),
      ['subject', 'payload', 'json', 'payload_base64', 'headers'],
      tools,
    );
    const response = treeOf(mock['response']);
    const queue = textOf(mock['queue_group']);
    const subject = textOf(response['subject']);
    return [
      withReply(
        {
          id: idOf(mock),
          action: 'receive',
          target: { address },
          message: takenBy(mock['payload'], tools),
          ...(queue === undefined || queue === '' ? {} : { bindings: { nats: { queue } } }),
        },
        mock['response'] === undefined
          ? undefined
          : {
              target: { address: answerAddress(BROUGHT.exec(subject ?? '')?.[1] ?? subject) },
              message: contentOf(response, 'payload', response, tools),
            },
      ),
    ];
  },
  sent: (id, action, tools) =>
    sending(
      id,
      { address: answerAddress(action['subject']) },
      contentOf(action, 'payload', action, tools),
      tools,
    ),
};

/** Queues of AMQP, and routing keys of exchanges. */
const amqp: KindReader = {
  kind: 'amqp',
  protocol: 'amqp',
  secure: 'amqps',
  mock(mock, tools) {
    const address = addressOf(mock['routing_key'] ?? mock['queue'], { one: '*', rest: '#' }, tools);
    if (address === undefined) return [];
    noteUnsaid(mock, ['headers'], tools);
    noteLost(
      'a mock',
      mock,
      [...COMMON_FIELDS, 'routing_key', 'queue', 'exchange', 'body', 'headers', 'response'],
      tools,
    );
    noteLost(
      'an answer',
      treeOf(mock['response']),
      ['exchange', 'routing_key', 'body', 'json', 'body_base64', 'properties'],
      tools,
    );
    const exchange = mock['exchange'] === undefined ? undefined : matchOf(mock['exchange']);
    const name =
      exchange?.is === 'equals'
        ? exchange.text
        : exchange?.is === 'regex' && exchange.text === '^$'
          ? ''
          : undefined;
    if (exchange !== undefined && name === undefined)
      tools.approximated('a pattern of an exchange is written as the default exchange');
    const response = treeOf(mock['response']);
    const { exchange: to = '', routing_key: key } = response;
    return [
      withReply(
        {
          id: idOf(mock),
          action: 'receive',
          target: amqpTarget(name ?? '', address, tools),
          message: takenBy(mock['body'], tools),
        },
        mock['response'] === undefined
          ? undefined
          : {
              target: amqpTarget(textOf(to) ?? '', answerAddress(key), tools),
              message: amqpContent(response, tools),
            },
      ),
    ];
  },
  sent: (id, action, tools) =>
    sending(
      id,
      amqpTarget(textOf(action['exchange']) ?? '', answerAddress(action['routing_key']), tools),
      amqpContent(action, tools),
      tools,
    ),
};

function amqpContent(fields: Tree, tools: ReaderTools): ReturnType<typeof contentOf> {
  const {
    content_type: contentType,
    headers,
    delivery_mode: _mode,
    priority: _priority,
    ...own
  } = treeOf(fields['properties']);
  const texts = Object.fromEntries(Object.entries(own).filter(([, value]) => typeof value === 'string'));
  return contentOf(fields, 'body', { headers: { ...texts, ...treeOf(headers) }, contentType }, tools);
}

function amqpTarget(exchange: string, address: string | undefined, { block }: ReaderTools): Target {
  if (address === undefined) return { address };
  const find = (list: unknown, wanted: string): Tree | undefined =>
    treesOf(list ?? []).find(({ name }) => name === wanted);
  const flags = (declared: Tree | undefined): Tree =>
    withoutAbsent({ durable: declared?.['durable'], autoDelete: declared?.['auto_delete'] });
  if (exchange === '') {
    const declared = find(block['queues'], address);
    return { address, bindings: { amqp: { is: 'queue', queue: { name: address, ...flags(declared) } } } };
  }
  const declared = find(block['exchanges'], exchange);
  return {
    address,
    bindings: {
      amqp: {
        is: 'routingKey',
        exchange: { name: exchange, type: declared?.['type'] ?? 'topic', ...flags(declared) },
      },
    },
  };
}

/** Destinations of STOMP. */
const stomp: KindReader = {
  kind: 'stomp',
  protocol: 'stomp',
  secure: 'stomps',
  mock(mock, tools) {
    const address = addressOf(mock['destination'], { one: '*' }, tools);
    if (address === undefined) return [];
    noteUnsaid(mock, ['headers'], tools);
    noteLost('a mock', mock, [...COMMON_FIELDS, 'destination', 'body', 'headers', 'response'], tools);
    noteLost(
      'an answer',
      treeOf(mock['response']),
      ['destination', 'body', 'json', 'body_base64', 'content_type', 'headers'],
      tools,
    );
    const response = treeOf(mock['response']);
    const location = locationOf(response['destination']);
    const { content_type: contentType, headers } = response;
    return [
      withReply(
        { id: idOf(mock), action: 'receive', target: { address }, message: takenBy(mock['body'], tools) },
        mock['response'] === undefined
          ? undefined
          : {
              target: {
                address: location === undefined ? answerAddress(response['destination']) : undefined,
              },
              message: contentOf(response, 'body', { headers, contentType }, tools),
              ...(location === undefined ? {} : { location }),
            },
      ),
    ];
  },
  sent(id, action, tools) {
    const { 'content-type': contentType, ...headers } = treeOf(action['headers']);
    const content = contentOf(action, 'body', { headers, contentType }, tools);
    return sending(id, { address: answerAddress(action['destination']) }, content, tools);
  },
};

/** Paths of WebSocket. */
const websocket: KindReader = {
  kind: 'websocket',
  protocol: 'ws',
  secure: 'wss',
  mock(mock, tools) {
    const address = addressOf(mock['path'] ?? '/', { one: '*' }, tools);
    if (address === undefined) return [];
    noteUnsaid(mock, ['query', 'headers', 'subprotocol'], tools);
    noteLost(
      'a mock',
      mock,
      [...COMMON_FIELDS, 'path', 'on_message', 'query', 'headers', 'subprotocol'],
      tools,
    );
    const id = idOf(mock);
    const target = { address, name: id };
    return treesOf(mock['on_message'] ?? []).map((rule, index): Operation => {
      noteLost('an answer', rule, ['match', 'respond', 'json'], tools);
      const answers = rule['respond'] !== undefined || rule['json'] !== undefined;
      return withReply(
        {
          id: index === 0 ? id : `${id}-${index + 1}`,
          action: 'receive',
          target,
          message: takenBy(rule['match'], tools),
        },
        answers ? { target, message: contentOf(rule, 'respond', {}, tools) } : undefined,
      );
    });
  },
  sent(id, action, tools) {
    const to = textOf(action['to']) ?? '';
    const mock = treesOf(tools.block['mocks'] ?? []).find((one) => one['id'] === to);
    const { data } = action;
    const fields = typeof data === 'string' ? { text: data } : isTree(data) ? data : {};
    return sending(
      id,
      { address: textOf(mock?.['path']), name: to },
      contentOf(fields, 'text', {}, tools),
      tools,
    );
  },
};

function withReply(operation: Operation, reply: Operation['reply']): Operation {
  return reply === undefined ? operation : { ...operation, reply };
}

function sending(
  id: string,
  target: Target,
  message: Operation['message'],
  tools: ReaderTools,
): Operation | undefined {
  if (target.address !== undefined) return { id, action: 'send', target, message };
  tools.refused('what is sent to an address that is a template is left out');
  return undefined;
}

/** The kinds whose mocks and reactions become operations. */
export const KINDS: readonly KindReader[] = [kafka, amqp, mqtt, nats, stomp, websocket];
