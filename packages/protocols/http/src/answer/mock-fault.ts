import type { CompileTools, Delay, DelayRange, MockFault, Pointer } from '@backlot/core/plugin';
import { faultProblems } from '@backlot/kit/http';
import type { FaultFields, MockFaultDefinition } from '../schemas/fault.js';

/** Compiles the fault of one mock; with nothing but delays it is pure latency. */
export function compileMockFault(
  definition: MockFaultDefinition | undefined,
  tools: CompileTools,
  at: Pointer,
): MockFault | undefined {
  if (definition === undefined) return undefined;
  const { delay, delay_range: range, error_rate: rate, enabled: _enabled, ...fields } = definition;
  if (delay !== undefined && range !== undefined) {
    tools.problem(at, 'delay and delay_range cannot both be given; leave one out');
  }
  for (const { path, message } of faultProblems(fields)) tools.problem(at + path, message);
  const slow =
    range === undefined ? tools.delay(delay, `${at}/delay`) : compileRange(range, tools, `${at}/delay_range`);
  const isLatency =
    Object.keys(fields).length === 0 && rate === undefined && (delay !== undefined || range !== undefined);
  const own: FaultFields = fields;
  return {
    errorRate: rate ?? 1,
    ...(slow === 0 ? {} : { delay: slow }),
    ...(isLatency ? {} : { fields: own }),
  };
}

function compileRange({ min, max }: DelayRange, tools: CompileTools, at: Pointer): Delay {
  const shortest = tools.duration(min, `${at}/min`);
  const longest = tools.duration(max, `${at}/max`);
  if (shortest <= longest) return tools.delay({ uniform: { min, max } }, at);
  tools.problem(at, `min ${min} is longer than max ${max}; exchange them`);
  return 0;
}
