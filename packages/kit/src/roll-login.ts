import type { DelayClock } from './admit-by.js';

/** The faults of logins and virtual time, as a protocol's context has them. */
interface LoginContext<Fault> {
  readonly clock: DelayClock;
  readonly faults: {
    rollForLogin(): { readonly delay: number; readonly refuse: boolean; readonly fields: Fault } | undefined;
  };
}

/**
 * Rolls the kind's fault of phase `login`; call it once for each login, before it is checked.
 *
 * @returns the fields that the fault gives when the login is refused, `undefined` when it is to be checked as ever; a
 * promise of that when the fault delays it, by the virtual clock
 */
export function rollLogin<Fault>({
  clock,
  faults,
}: LoginContext<Fault>): Fault | undefined | Promise<Fault | undefined> {
  const rolled = faults.rollForLogin();
  if (rolled === undefined) return undefined;
  const { delay, refuse, fields } = rolled;
  const refusal = refuse ? fields : undefined;
  if (delay === 0) return refusal;
  return new Promise((resolve) => void clock.after(delay, () => resolve(refusal)));
}
