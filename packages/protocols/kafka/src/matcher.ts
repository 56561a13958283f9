import {
  compileHeaders,
  type CompileTools,
  type FieldConditions,
  type MockOf,
  type Pattern,
  type TestResult,
} from '@backlot/core/plugin';
import { problemOfTopicName } from './broker/topic-name.js';
import type { CompiledKafka, CompiledResponse } from './compiled.js';
import { compileContent } from './content.js';
import type { KafkaMessage } from './message.js';
import type { KafkaShape } from './shape.js';

/** Compiles a mock. */
export function compileKafka(mock: MockOf<KafkaShape>, tools: CompileTools): CompiledKafka {
  const topic = tools.pattern(mock.topic, '/topic');
  const key = tools.pattern(mock.key, '/key');
  const value = tools.pattern(mock.value, '/value');
  const headers = compileHeaders(mock.headers, tools, '/headers');
  if (topic.exact !== undefined) checkTopic(topic.exact, '/topic', tools);
  const { records = [], state, times, expires } = mock;
  return {
    topic,
    records: records.map((record, index) => ({
      content: compileContent(record, `/records/${index}`, tools),
      partition: record.partition,
    })),
    fingerprint: JSON.stringify(records),
    isConditional: state !== undefined || times !== undefined || expires !== undefined,
    isPassive: isPassive(mock),
    response: compileResponse(mock, tools),
    test: (message) => testMessage(topic, key, value, headers, message),
  };
}

/** A mock with records and nothing else to do is data; the other fields make it one that matches. */
function isPassive(mock: MockOf<KafkaShape>): boolean {
  const { records, key, value, headers, response, delay, set_state: setState, times } = mock;
  const matching = [key, value, headers, response, delay, setState, times];
  return records !== undefined && matching.every((field) => field === undefined);
}

function testMessage(
  topic: Pattern,
  key: Pattern,
  value: Pattern,
  headers: FieldConditions | undefined,
  message: KafkaMessage,
): TestResult {
  const { path, record } = message;
  if (!topic.test(path, message)) return () => topic.reason('topic', path, message);
  if (!key.any && !key.test(record.keyText, message)) return () => key.reason('key', record.keyText, message);
  const fits = headers === undefined || headers(message.headers, message);
  if (fits !== true) return fits;
  if (!value.any && !value.test(record.valueText, message))
    return () => value.reason('value', record.valueText, message);
  return true;
}

function compileResponse(
  { response }: MockOf<KafkaShape>,
  tools: CompileTools,
): CompiledResponse | undefined {
  if (response === undefined) return undefined;
  const template = tools.template(response.topic, '/response/topic', { target: 'text' });
  if (template.constant) checkTopic(template.source, '/response/topic', tools);
  return {
    topic: template.constant ? template.source : template,
    content: compileContent(response, '/response', tools),
    partition: response.partition,
  };
}

function checkTopic(name: string, at: string, tools: CompileTools): void {
  const problem = problemOfTopicName(name);
  if (problem !== undefined) tools.problem(at, problem);
}
