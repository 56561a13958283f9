import { checkAt, invalid, messageOf, type ValueOf } from '@backlot/core/plugin';
import type { ConfigSchema } from '../schemas.js';
import { readSettings } from '../settings.js';
import { fromWire } from '../wire/text.js';
import { createUsers } from './create-users.js';

/** Checks `users` of the configuration. @throws BacklotError `invalid` with the place of what is wrong */
export function checkUsers(config: ValueOf<typeof ConfigSchema>): void {
  const { password, users } = readSettings(config);
  if (users.length === 0) return;
  const made = createUsers({ password, users: [] });
  const names = new Set<string>();
  for (const [index, user] of users.entries()) {
    checkAt(`/users/${index}/username`, () => {
      if (names.has(user.username)) throw invalid(`there is a user ${fromWire(user.username)} already`);
      if (/[\s\0]/.test(user.username)) throw invalid('the name of a user has no spaces');
    });
    names.add(user.username);
    checkAt(`/users/${index}/rules`, () => {
      try {
        made.configure(user);
      } catch (thrown) {
        throw invalid(
          fromWire(messageOf(thrown))
            .replace(/^ERR (?:Error in ACL SETUSER modifier)?/, '')
            .trim(),
        );
      }
    });
  }
}
