import type { CompileTools, MockFault, Pointer } from '@backlot/core/plugin';
import { headerProblems } from '@backlot/kit/http';
import type { FaultFields, MockFaultDefinition } from '../schemas.js';

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
  for (const problem of headerProblems(fields.headers)) tools.problem(`${at}/headers`, problem);
  const delayRange = range && {
    min: tools.duration(range.min, `${at}/delay_range/min`),
    max: tools.duration(range.max, `${at}/delay_range/max`),
  };
  if (delayRange !== undefined && delayRange.min > delayRange.max) {
    tools.problem(`${at}/delay_range`, `min ${range?.min} is longer than max ${range?.max}; exchange them`);
  }
  const isLatency =
    Object.keys(fields).length === 0 && rate === undefined && (delay !== undefined || range !== undefined);
  const own: FaultFields = fields;
  return {
    errorRate: rate ?? 1,
    ...(delay === undefined ? {} : { delay: tools.duration(delay, `${at}/delay`) }),
    ...(delayRange === undefined ? {} : { delayRange }),
    ...(isLatency ? {} : { fields: own }),
  };
}
