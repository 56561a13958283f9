import type { Expectation, Verdict } from '../contract/verification.js';

/** How much of an expectation is shown. */
const SHOWN = 200;

/** Says in lines of text what became of a check: one for each expectation, and below it what is wrong. */
export function describeVerdict(expect: readonly Expectation[], verdict: Verdict): string[] {
  const lines: string[] = [];
  for (const [place, { verified, name, count, problem, nearest = [] }] of verdict.expectations.entries()) {
    const mark = verified ? 'ok  ' : 'FAIL';
    lines.push(`${mark}  ${name === undefined ? '' : `${name}: `}${show(expect[place])}`);
    if (problem === undefined) continue;
    lines.push(`      ${problem}`);
    if (count === 0 && nearest.length === 0) lines.push('      no message of this protocol was received');
    for (const near of nearest)
      lines.push(`      nearest: entry ${near.id}, ${near.method} ${near.path}: ${near.reason}`);
  }
  const { unexpected = [], unexpected_count: count = 0 } = verdict;
  if (count > 0)
    lines.push(`FAIL  ${count === 1 ? '1 message that nobody' : `${count} messages that nobody`} expected`);
  for (const { id, method, path } of unexpected) lines.push(`      entry ${id}, ${method} ${path}`);
  return lines;
}

/** An expectation in one line: what the name says is left out. */
function show(expectation: Expectation | undefined): string {
  const { name: _name, ...rest } = expectation ?? {};
  const text = JSON.stringify(rest);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
}
