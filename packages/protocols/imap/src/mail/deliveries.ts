import type { GivenMail } from '@backlot/kit';
import { givenMail } from './captured-mail.js';
import type { NewMail } from './mailbox.js';
import { userKey, usersOf } from './user-keys.js';

/** The mails that other kinds hold, by the users who see them, each in the order of arrival. */
export class Deliveries {
  readonly #byUser = new Map<string, Map<string, NewMail>>();
  readonly #catchAll: string;

  /** @param catchAll - the user who sees all */
  constructor(catchAll: string) {
    this.#catchAll = userKey(catchAll);
  }

  /** @returns the mail, and the keys of those who see it */
  add(given: GivenMail): readonly [NewMail, ReadonlySet<string>] {
    const { id, recipients } = given;
    const mail = givenMail(given);
    const users = this.#usersOf(recipients);
    for (const user of users) {
      const mails = this.#byUser.get(user);
      if (mails === undefined) this.#byUser.set(user, new Map([[id, mail]]));
      else mails.set(id, mail);
    }
    return [mail, users];
  }

  /** @returns the keys of those who saw it */
  drop({ id, recipients }: GivenMail): ReadonlySet<string> {
    const users = this.#usersOf(recipients);
    for (const user of users) {
      const mails = this.#byUser.get(user);
      mails?.delete(id);
      if (mails?.size === 0) this.#byUser.delete(user);
    }
    return users;
  }

  clear(): void {
    this.#byUser.clear();
  }

  /** What a user sees, by the ids of the mails. @param key - see `userKey` */
  of(key: string): ReadonlyMap<string, NewMail> {
    return this.#byUser.get(key) ?? NONE;
  }

  #usersOf(recipients: readonly string[]): ReadonlySet<string> {
    const users = new Set([this.#catchAll]);
    for (const recipient of recipients) for (const user of usersOf(recipient)) users.add(user);
    return users;
  }
}

const NONE: ReadonlyMap<string, NewMail> = new Map();
