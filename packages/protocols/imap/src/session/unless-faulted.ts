import { rollLogin } from '@backlot/kit';
import { BadCommand, Refusal } from '../wire/bad-command.js';
import type { Services } from './services.js';

/** What a fault of phase `login` gives for its refusals. */
interface LoginRefusal {
  readonly response?: 'NO' | 'BAD' | 'BYE';
  readonly message?: string;
}

/** Where a login is refused. */
export interface LoginPlace {
  readonly context: Services['context'];
  /** Says goodbye, and ends the connection. */
  bye(text: string): void;
}

/**
 * Checks a login unless the fault of phase `login` refuses it.
 *
 * @param code - the response code of a refusal, with its brackets
 * @throws Refusal, BadCommand
 */
export function unlessFaulted<T>(place: LoginPlace, code: string, check: () => T): T | Promise<T> {
  const goOn = (refusal: LoginRefusal | undefined): T => {
    if (refusal === undefined) return check();
    const { response = 'NO', message = 'fault injected' } = refusal;
    if (response === 'BAD') throw new BadCommand(message);
    if (response === 'BYE') place.bye(message);
    throw new Refusal(`${code} ${message}`);
  };
  const rolled = rollLogin(place.context);
  return rolled instanceof Promise ? rolled.then(goOn) : goOn(rolled);
}
