import { compileHeaders, type CompileTools, type TestResult } from '@backlot/core/plugin';
import type { GrpcMessage } from './message.js';
import type { GrpcMock } from './schemas.js';

/** What a mock asks of the call itself, which is known before its first request message. */
export interface CallConditions {
  /** Whether a pattern compares with a part of the request, which may be the message. */
  readonly waits: boolean;
  test(message: GrpcMessage): TestResult;
}

/** Compiles `host`, `headers`, `deadline` and `peer`; `undefined` when every call will do. */
export function compileCallConditions(
  { host: wantedHost, headers: wantedHeaders, deadline: wantedDeadline, peer: wantedPeer }: GrpcMock,
  tools: CompileTools,
): CallConditions | undefined {
  const host = wantedHost === undefined ? undefined : tools.pattern(wantedHost, '/host');
  const headers = compileHeaders(wantedHeaders, tools, '/headers');
  const deadline = wantedDeadline === undefined ? undefined : tools.pattern(wantedDeadline, '/deadline');
  const peer = wantedPeer === undefined ? undefined : tools.pattern(wantedPeer, '/peer');
  if (host === undefined && headers === undefined && deadline === undefined && peer === undefined)
    return undefined;
  return {
    waits: JSON.stringify([wantedHost, wantedHeaders, wantedDeadline, wantedPeer]).includes('"same_as"'),
    test(message) {
      if (host !== undefined && !host.test(message.host, message))
        return () => host.reason('host', message.host, message);
      if (peer !== undefined && !peer.test(message.remote, message))
        return () => peer.reason('peer', message.remote, message);
      if (deadline !== undefined && !deadline.any && !deadline.testValue(message.deadline, message))
        return () => deadline.reasonOfValue('deadline', message.deadline, message);
      return headers === undefined || headers(message.headers, message);
    },
  };
}
