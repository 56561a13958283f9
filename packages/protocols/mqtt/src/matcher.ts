import {
  compileContent,
  compileHeaders,
  type CompiledMock,
  type CompileTools,
  constantContent,
  type ContentTemplate,
  type Delay,
  type PatternSource,
  type Template,
  type TestResult,
  type ValueOf,
} from '@backlot/core/plugin';
import { compileProperties, type CompiledProperties } from './answer-properties.js';
import { compileSubject } from '@backlot/kit/wildcards';
import type { MqttMessage } from './message.js';
import type { MockSchema } from './schemas.js';
import type { Qos } from './wire/packet-type.js';
import { TOPIC_SYNTAX, filterProblem, topicProblem } from './wire/topic.js';

type Mock = ValueOf<typeof MockSchema>;

/** A compiled mock. */
export interface CompiledMqtt extends CompiledMock<MqttMessage> {
  /** The only topic that matches. */
  readonly exact: string | undefined;
  /** The filter that takes every topic that matches. */
  readonly filter: string | undefined;
  /** `undefined`: the mock only counts. */
  readonly response: CompiledResponse | undefined;
}

/** The message that answers. */
export interface CompiledResponse {
  /** `undefined`: the response topic of the message, or its topic and `/response`. */
  readonly topic: Template | undefined;
  readonly payload: ContentTemplate;
  /** The payload when no template has to be rendered for it. */
  readonly constant: Buffer | undefined;
  readonly qos: Qos;
  readonly retain: boolean;
  /** Seconds; `undefined`: for ever. */
  readonly expiry: number | undefined;
  readonly properties: CompiledProperties;
  /** What is waited for before the answer, beside core's `delay`. */
  readonly delay: Delay;
}

interface TopicMatcher {
  readonly exact?: string | undefined;
  readonly filter?: string;
  readonly test: (topic: string, message: MqttMessage) => boolean;
  readonly reason: (topic: string, message: MqttMessage) => string;
  readonly captures?: (topic: string) => Readonly<Record<string, string>> | undefined;
}

const MATCHES_NOTHING: TopicMatcher = { test: () => false, reason: () => '' };

/** Compiles a mock. */
export function compileMqtt(mock: Mock, tools: CompileTools): CompiledMqtt {
  const topic = compileTopic(mock.topic, tools);
  const payload = tools.pattern(mock.payload, '/payload');
  const properties = compileHeaders(mock.user_properties, tools, '/user_properties', 'user property');
  const owns = compileOwn(mock, tools);
  const { captures } = topic;
  return {
    exact: topic.exact,
    filter: topic.filter,
    response: mock.response === undefined ? undefined : compileResponse(mock.response, tools),
    test(message): TestResult {
      if (message.method !== 'PUBLISH') return 'only PUBLISH is answered by mocks';
      const { path } = message;
      if (!topic.test(path, message)) return () => topic.reason(path, message);
      const fits = properties === undefined || properties(message.userProperties, message);
      if (fits !== true) return fits;
      for (const own of owns) {
        const miss = own(message);
        if (miss !== undefined) return miss;
      }
      return (
        payload.any ||
        payload.test(message.text, message) ||
        (() => payload.reason('payload', message.text, message))
      );
    },
    ...(captures && { params: ({ path }: MqttMessage) => captures(path) ?? {} }),
  };
}

/** The patterns for single properties of MQTT 5, each as what says why it does not match. */
function compileOwn(
  mock: Mock,
  tools: CompileTools,
): readonly ((message: MqttMessage) => (() => string) | undefined)[] {
  const properties = [
    ['content_type', mock.content_type, ({ contentType }: MqttMessage) => contentType],
    ['response_topic', mock.response_topic, ({ responseTopic }: MqttMessage) => responseTopic],
    ['correlation_data', mock.correlation_data, ({ correlation }: MqttMessage) => correlation],
  ] as const;
  return properties.flatMap(([name, source, read]) => {
    if (source === undefined) return [];
    const pattern = tools.pattern(source, `/${name}`);
    return [
      (message: MqttMessage) => {
        const value = read(message);
        return pattern.test(value, message) ? undefined : () => pattern.reason(name, value, message);
      },
    ];
  });
}

function compileResponse(response: NonNullable<Mock['response']>, tools: CompileTools): CompiledResponse {
  const {
    topic = '',
    payload: text,
    json,
    payload_base64: base64,
    qos = 0,
    retain = false,
    message_expiry: expiry,
    delay,
  } = response;
  const payload = compileContent({ text, json, base64 }, { text: 'payload' }, tools, '/response');
  return {
    topic: topic === '' ? undefined : compileTarget(topic, tools),
    payload,
    constant: constantContent(payload),
    qos,
    retain,
    expiry,
    properties: compileProperties(response, tools),
    delay: tools.delay(delay, '/response/delay'),
  };
}

function compileTopic(source: PatternSource, tools: CompileTools): TopicMatcher {
  if (typeof source === 'string' && source !== '' && !isGeneral(source)) return compileFilter(source, tools);
  if (typeof source === 'string' && !source.startsWith('re:') && /[+#]/.test(source)) {
    tools.problem(
      '/topic',
      `${JSON.stringify(source)} mixes * with + or #; write + for one level and # for all below, or * for any text`,
    );
    return MATCHES_NOTHING;
  }
  const pattern = tools.pattern(source, '/topic');
  return {
    exact: pattern.exact,
    test: (topic, message) => pattern.test(topic, message),
    reason: (topic, message) => pattern.reason('topic', topic, message),
  };
}

function compileFilter(source: string, tools: CompileTools): TopicMatcher {
  const problem = filterProblem(source);
  if (problem !== undefined) {
    tools.problem('/topic', `${JSON.stringify(source)} is no topic: ${problem}`);
    return MATCHES_NOTHING;
  }
  return tools.attempt('/topic', MATCHES_NOTHING, () => {
    const subject = compileSubject(source, TOPIC_SYNTAX);
    return {
      ...(subject.isExact ? { exact: source } : { filter: subject.wildcards }),
      test: (topic) => subject.test(topic),
      reason: (topic) => `topic: got ${JSON.stringify(topic)}, want ${JSON.stringify(source)}`,
      ...(source.includes('{') ? { captures: (topic) => subject.captures(topic) } : {}),
    };
  });
}

/** Whether a topic is written in the language of patterns rather than in MQTT's own. */
function isGeneral(source: string): boolean {
  return source.startsWith('re:') || source.includes('*');
}

function compileTarget(source: string, tools: CompileTools): Template {
  const template = tools.template(source, '/response/topic', { target: 'text' });
  const problem = template.constant ? topicProblem(source) : undefined;
  if (problem !== undefined) {
    tools.problem('/response/topic', `${JSON.stringify(source)} cannot be published to: ${problem}`);
  }
  return template;
}
