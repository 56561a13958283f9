import { SPACE_ID, compilePattern, type Host, type JournalCollection, type Space } from '@backlot/core';
import { checkAt } from '@backlot/core/plugin';
import { JoinedJournal } from './joined-journal.js';
import { invalidAt, type ManagementRequest } from './management-route.js';

const ID = new RegExp(SPACE_ID);

/**
 * The journals that a request names by its parameter `space`: one of a space, those of all spaces that fit, or that of the
 * world that it acts on. A space that is named is used by that.
 *
 * @throws BacklotError `not_found` for a space that is not there; `invalid` for a pattern that is none, and with it for an id
 * of an entry, which belongs to one journal
 */
export function journalsOf(
  { query, main }: ManagementRequest,
  host: Host,
):
  | { readonly journal: JournalCollection; readonly space?: Space }
  | { readonly journal: JoinedJournal; readonly space?: undefined } {
  const named = query['space'];
  if (named === undefined || host !== main) return { journal: host.journal };
  if (ID.test(named)) {
    const space = main.spaces.get(named);
    space.use();
    return { journal: space.host.journal, space };
  }
  const pattern = checkAt('/space', () => compilePattern(named));
  if (query['after'] !== undefined)
    throw invalidAt(
      '/after',
      `an id is one of a single journal, and "space" names several; name one space, or ask by "since", got ${JSON.stringify(query['after'])}`,
    );
  return { journal: new JoinedJournal(main, (space) => pattern.test(space)) };
}
