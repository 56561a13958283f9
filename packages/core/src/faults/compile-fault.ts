import type { StoredFault } from '../contract/given.js';
import type { Protocol } from '../contract/protocol.js';
import { invalid, problemsIn, type Problem } from '../errors.js';
import type { CompiledFault } from '../pipeline/runtime.js';
import { compileMatch, type MatchSurroundings, type MessageTest } from './compile-match.js';
import { FaultCounts } from './fault-counts.js';
import { compileDelay } from '../time/delay.js';
import { parseDuration } from '../time/duration.js';

const CORE_FIELDS = new Set([
  'delay',
  'delay_range',
  'error_rate',
  'enabled',
  'phase',
  'match',
  'after',
  'times',
  'expires',
  'left',
  'tls',
  'toxics',
]);

/** Makes a fault ready to be rolled; its durations and its match have been checked. */
export function compileFault(
  protocol: Protocol,
  fault: StoredFault,
  surroundings: MatchSurroundings,
): CompiledFault {
  const { tls, toxics } = fault;
  const given = Object.fromEntries(Object.entries(fault).filter(([name]) => !CORE_FIELDS.has(name)));
  const { standing = [] } = protocol.fault ?? {};
  const names = Object.keys(given);
  const spares =
    names.every((name) => standing.includes(name)) &&
    fault.error_rate === undefined &&
    fault.phase !== 'connect' &&
    fault.phase !== 'login' &&
    (names.length > 0 ||
      tls !== undefined ||
      toxics !== undefined ||
      fault.delay !== undefined ||
      fault.delay_range !== undefined);
  return {
    tls,
    delay: compileDelay(fault.delay_range === undefined ? fault.delay : { uniform: fault.delay_range }),
    errorRate: fault.error_rate ?? 1,
    fires: !spares,
    given,
    fields: { ...protocol.fault?.default, ...given },
    phase: fault.phase ?? 'message',
    match: testOf(protocol, fault, surroundings),
    counts:
      fault.after === undefined && fault.times === undefined
        ? undefined
        : new FaultCounts(fault.after, fault.times),
  };
}

function testOf(
  protocol: Protocol,
  { match }: StoredFault,
  surroundings: MatchSurroundings,
): MessageTest | undefined {
  if (match === undefined || Object.keys(match).length === 0) return undefined;
  const compiled = compileMatch(protocol, match, surroundings);
  // What has become invalid, as by a schema that was taken away, matches nothing.
  return 'problems' in compiled ? () => 'the match of the fault is not valid any more' : compiled;
}

/** Problems of a fault that its schema does not see. */
export function checkFault(
  protocol: Protocol,
  fault: StoredFault,
  surroundings: MatchSurroundings,
  base = '',
): Problem[] {
  const problems: Problem[] = [];
  const attempt = (path: string, check: () => void): void => {
    try {
      check();
    } catch (thrown) {
      problems.push(...problemsIn(thrown, base + path));
    }
  };
  attempt('/delay', () => void compileDelay(fault.delay));
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
  const { expires } = fault;
  if (expires !== undefined) attempt('/expires', () => void parseDuration(expires));
  if (fault.match !== undefined) {
    const { match, phase = 'message' } = fault;
    const compiled = compileMatch(protocol, match, surroundings);
    if (phase !== 'message')
      problems.push({
        path: `${base}/match`,
        message: `is about messages, and a fault of phase "${phase}" hits none; leave one of the two out`,
      });
    else if ('problems' in compiled)
      problems.push(
        ...compiled.problems.map(({ path, message }) => ({ path: `${base}/match${path}`, message })),
      );
  }
  for (const name of [...(protocol.fault?.standing ?? []), 'tls', 'toxics']) {
    if (!(name in fault)) continue;
    const wrong = ['match', 'after', 'times'].find((other) => other in fault) ?? wrongPhase(fault);
    if (wrong !== undefined)
      problems.push({
        path: `${base}/${name}`,
        message: `is how things stand while the fault is in effect, not what befalls a message; leave ${wrong} out`,
      });
  }
  attempt('', () => protocol.fault?.check?.(fault));
  return problems.filter(({ path }, index) => problems.findIndex((other) => other.path === path) === index);
}

function wrongPhase({ phase = 'message' }: StoredFault): string | undefined {
  return phase === 'message' ? undefined : `phase "${phase}"`;
}
