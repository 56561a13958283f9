import { factBook } from '../commands/table.js';
import type { Settings } from '../settings.js';
import { Catalog } from './catalog.js';
import { Users } from './users.js';

/** The users of a configuration. @throws CommandError when the rules of one are wrong */
export function createUsers({ password, users }: Pick<Settings, 'password' | 'users'>): Users {
  const made = new Users(() => new Catalog(factBook().all), password);
  for (const user of users) made.configure(user);
  return made;
}
