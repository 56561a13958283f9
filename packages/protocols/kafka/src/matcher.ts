import type { CompileTools, MockOf, Pattern, TestResult } from '@backlot/core/plugin';
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
    test: (message) => testMessage(topic, key, value, message),
  };
}

/** A mock with records and nothing else to do is data; the other fields make it one that matches. */
function isPassive(mock: MockOf<KafkaShape>): boolean {
  const { records, key, value, response, delay, set_state: setState, times } = mock;
  const matching = [key, value, response, delay, setState, times];
  return records !== undefined && matching.every((field) => field === undefined);
}

function testMessage(topic: Pattern, key: Pattern, value: Pattern, message: KafkaMessage): TestResult {
  const { path, record } = message;
  if (!topic.test(path)) return () => topic.reason('topic', path);
  if (!key.any && !key.test(record.keyText)) return () => key.reason('key', record.keyText);
  if (!value.any && !value.test(record.valueText)) return () => value.reason('value', record.valueText);
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
