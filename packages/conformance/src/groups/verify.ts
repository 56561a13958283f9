import type { Expectation, Verdict } from '@backlot/core';
import { check, checkEqual, checkRefused } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { matchOf } from '../match-of.js';
import { onStage, type Stage, type Subject } from '../stage.js';

/** Real milliseconds that a message may take on a machine that is busy. */
const PATIENCE = 3_000;

/** Whether what was expected has come, by the fields of the mocks of the kind. */
export function verifyCases(subject: Subject): readonly ConformanceCase[] {
  const { kind } = subject.protocol;
  const [simple, other] = [matchOf(subject, 'simple'), matchOf(subject, 'other')];
  const expected = (match: unknown, times?: number): Expectation => ({
    [kind]: match,
    ...(times === undefined ? {} : { times }),
  });
  const run = async (stage: Stage): Promise<void> => {
    const { host } = stage;
    stage.add('simple');
    const verdictOf = (expect: readonly Expectation[], within = '0s'): Promise<Verdict> =>
      host.verify({ expect, within });
    const expect = [expected(simple), expected({ mock: 'simple' })];
    const waiting = verdictOf(expect, `${Math.max(stage.timeout, PATIENCE)}ms`);
    // When the message fails, the stage ends before the wait, whose end then says nothing more.
    waiting.catch(() => undefined);
    await stage.ask('simple');
    checkEqual('what was waited for', problemsOf(await waiting), []);
    if (other !== undefined)
      checkEqual('another message', problemsOf(await verdictOf([expected(other, 0)])), []);
    const never = await verdictOf([expected(simple, 0)]);
    check(!never.verified, 'a message that has come was taken for one that has not');
    const missing = await verdictOf([expected({ ...simple, mock: 'no-such-mock' })]);
    check(
      missing.expectations[0]?.nearest?.some(({ reason }) => reason.includes('no-such-mock')) === true,
      'the nearest message does not say what differs',
    );
  };
  const refused = async ({ host }: Stage): Promise<void> => {
    const { message } = await checkRefused('an unknown field', 'invalid', () =>
      host.verify({ expect: [expected({ no_such_field: 1 })] }),
    );
    check(
      message.includes(`/expect/0/${kind}/no_such_field`),
      `an unknown field: got the error "${message}"`,
    );
  };
  return [
    { name: 'is found by the fields of mocks, and nothing else is', run: () => onStage(subject, run) },
    { name: 'refuses fields that there are not', run: () => onStage(subject, refused) },
  ];
}

function problemsOf({ expectations }: Verdict): readonly string[] {
  return expectations.flatMap(({ problem, nearest = [] }) =>
    problem === undefined ? [] : [problem, ...nearest.map(({ reason }) => reason)],
  );
}
