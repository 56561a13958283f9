import type { StoredFault } from '../contract/given.js';
import type { Protocol } from '../contract/protocol.js';
import { invalid, isBacklotError, messageOf, type Problem } from '../errors.js';
import type { CompiledFault } from '../pipeline/runtime.js';
import { parseDuration } from '../time/duration.js';

const CORE_FIELDS = new Set(['delay', 'delay_range', 'error_rate', 'enabled', 'phase']);

/** Makes a fault ready to be rolled; its durations have been checked. */
export function compileFault(protocol: Protocol, fault: StoredFault): CompiledFault {
  const given = Object.fromEntries(Object.entries(fault).filter(([name]) => !CORE_FIELDS.has(name)));
  const isLatencyOnly =
    Object.keys(given).length === 0 &&
    fault.error_rate === undefined &&
    fault.phase !== 'connect' &&
    (fault.delay !== undefined || fault.delay_range !== undefined);
  return {
    delay: parseDuration(fault.delay ?? ''),
    delayRange:
      fault.delay_range === undefined
        ? undefined
        : { min: parseDuration(fault.delay_range.min), max: parseDuration(fault.delay_range.max) },
    errorRate: fault.error_rate ?? 1,
    fires: !isLatencyOnly,
    given,
    fields: { ...protocol.fault?.default, ...given },
    phase: fault.phase ?? 'message',
  };
}

/** Problems of a fault that its schema does not see. */
export function checkFault(protocol: Protocol, fault: StoredFault, base = ''): Problem[] {
  const problems: Problem[] = [];
  const attempt = (path: string, check: () => void): void => {
    try {
      check();
    } catch (thrown) {
      const details = isBacklotError(thrown) ? thrown.details : undefined;
      for (const problem of details ?? [{ path: '', message: messageOf(thrown) }]) {
        problems.push({ path: base + path + problem.path, message: problem.message });
      }
    }
  };
  attempt('/delay', () => void parseDuration(fault.delay ?? ''));
  const range = fault.delay_range;
  if (range !== undefined) {
    attempt('/delay_range/min', () => void parseDuration(range.min));
    attempt('/delay_range/max', () => void parseDuration(range.max));
    attempt('/delay_range', () => {
      if (parseDuration(range.min) > parseDuration(range.max)) {
        throw invalid(`min "${range.min}" must not be more than max "${range.max}"`);
      }
    });
    if (fault.delay !== undefined)
      problems.push({
        path: `${base}/delay_range`,
        message: 'must not stand beside "delay": give one of them',
      });
  }
  attempt('', () => protocol.fault?.check?.(fault));
  return problems.filter(({ path }, index) => problems.findIndex((other) => other.path === path) === index);
}
