import { splitPath, type CompileTools, type TestResult } from '@backlot/core/plugin';
import type { WebsocketMessage } from '../message.js';
import type { WebsocketFields } from '../schemas.js';
import { FIELDS } from './fields.js';

/** The namespaces or topics that a mock is for. */
export interface Room {
  test(room: string, message: WebsocketMessage): TestResult;
  /** What the segments of a path capture; absent where it is a pattern. */
  params?(room: string): Readonly<Record<string, string>>;
}

/** Compiles `namespace`, a path pattern, or `topic`, a pattern; `undefined` where there are no rooms, or all are meant. */
export function compileRoom(
  { dialect, namespace = '/', topic }: WebsocketFields,
  tools: CompileTools,
): Room | undefined {
  const room = dialect === undefined ? undefined : FIELDS[dialect].room;
  if (room === 'namespace') {
    const pattern = tools.path(namespace, '/namespace');
    return {
      test: (name) => {
        const split = splitPath(name);
        return pattern.test(split) || (() => pattern.reason(split).replace('path', 'namespace'));
      },
      params: (name) => pattern.params(splitPath(name)),
    };
  }
  if (room === undefined || topic === undefined) return undefined;
  const pattern = tools.pattern(topic, '/topic');
  return {
    test: (name, message) => pattern.test(name, message) || (() => pattern.reason('topic', name, message)),
  };
}
