import { check, checkEqual, settle, within } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import type { ProbeLogin } from '../probe.js';
import { onStage, type Stage, type Subject } from '../stage.js';

const MINUTE = 60_000;
const ACCEPTED = 'accepted';

/** Faults of logins, for kinds that declare them. */
export function loginCases(subject: Subject): readonly ConformanceCase[] {
  const { probe, protocol } = subject;
  const { kind } = protocol;
  const on = (
    name: string,
    run: (stage: Stage, attempt: () => Promise<string>, login: ProbeLogin) => Promise<void>,
  ): ConformanceCase => ({
    name,
    run: () =>
      onStage(subject, async (stage) => {
        const { login } = probe;
        check(login !== undefined, 'the protocol declares fault.login, so its probe must have `login`');
        stage.add('simple');
        const attempt = (): Promise<string> =>
          within(stage.timeout, 'the answer to a login', login.attempt(stage.address));
        await run(stage, attempt, login);
      }),
  });
  return [
    on('of phase login refuse logins and leave messages alone', async (stage, attempt, login) => {
      const client = await stage.connect();
      checkEqual('before the fault', await attempt(), ACCEPTED);
      stage.host.faults.set(kind, { phase: 'login' });
      checkEqual('with the fault', await attempt(), login.refused);
      checkEqual('a message of who was there', await client.send('simple'), probe.answers.simple);
      if (login.custom !== undefined) {
        stage.host.faults.set(kind, { phase: 'login', ...login.custom.fault });
        checkEqual('with fields of the fault', await attempt(), login.custom.refused);
      }
      stage.host.faults.clear(kind);
      checkEqual('after the fault', await attempt(), ACCEPTED);
    }),
    on('of phase login have a rate and counts', async (stage, attempt, login) => {
      const { faults } = stage.host;
      faults.set(kind, { phase: 'login', error_rate: 0 });
      checkEqual('with an error_rate of 0', await attempt(), ACCEPTED);
      faults.set(kind, { phase: 'login', after: 1, times: 1 });
      const attempts = [await attempt(), await attempt(), await attempt()];
      checkEqual('three logins', attempts, [ACCEPTED, login.refused, ACCEPTED]);
      checkEqual('what is left', faults.get(kind)?.left, { after: 0, times: 0 });
    }),
    on('of phase login delay on the virtual clock', async (stage, _attempt, login) => {
      const { clock, faults } = stage.host;
      const rates = [
        [0, ACCEPTED],
        [1, login.refused],
      ] as const;
      for (const [rate, expected] of rates) {
        clock.freeze(true);
        faults.set(kind, { phase: 'login', delay: '10m', error_rate: rate, times: 1 });
        let isAnswered = false;
        const answer = login.attempt(stage.address).finally(() => (isAnswered = true));
        answer.catch(() => undefined);
        await within(stage.timeout, 'the login', hit(stage, kind));
        await settle();
        check(!isAnswered, 'the login was answered at once');
        await clock.advance(10 * MINUTE);
        checkEqual('the login', await within(stage.timeout, 'the delayed login', answer), expected);
        clock.freeze(false);
      }
    }),
  ];
}

/** Resolves once the fault, which is for one login, has hit that. */
async function hit({ host }: Stage, kind: string): Promise<void> {
  const isOver = (): boolean => host.faults.get(kind)?.left?.times === 0;
  while (!isOver()) await new Promise((resolve) => setImmediate(resolve));
}
