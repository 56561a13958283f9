import type { CompiledMock, CompileTools, Message, Template, ValueOf } from '@backlot/core/plugin';
import type { CaptureSchema, ConfigSchema, FaultSchema, MockSchema, StreamSchema } from './schemas.js';

export interface EchoMessage extends Message {
  readonly body: string;
}

export interface CompiledEcho extends CompiledMock<EchoMessage> {
  readonly response: Template;
  readonly isStream: boolean;
}

export interface EchoShape {
  readonly config: typeof ConfigSchema;
  readonly mock: typeof MockSchema;
  readonly compiled: CompiledEcho;
  readonly message: EchoMessage;
  readonly fault: typeof FaultSchema;
  readonly capture: typeof CaptureSchema;
  readonly stream: typeof StreamSchema;
}

export function compileEcho(
  mock: ValueOf<typeof MockSchema>,
  tools: CompileTools,
  givesReasons = true,
): CompiledEcho {
  const pattern = tools.pattern(mock.match, '/match');
  return {
    response: tools.template(mock.response ?? '', '/response', { target: 'text' }),
    isStream: mock.stream === true,
    test: (message) =>
      pattern.test(message.body) || (() => (givesReasons ? pattern.reason('line', message.body) : '')),
  };
}
