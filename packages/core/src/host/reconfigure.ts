import type { Reconfigured, ReconfiguredPart } from '../contract/reconfigured.js';
import type { SavedReactions } from '../reactions/reaction-store.js';
import { runInSlices } from '../time/slices.js';
import type { Saved } from './saved.js';
import { idsOfBoth, pairItemSteps, type ListedItem } from './pair-items.js';
import { note, type Reconfiguration } from './reconfiguration.js';
import { prepareData, renewData, takeData, withdrawData } from './take-data.js';
import { planServices, prepareRenewals, takeServices } from './take-services.js';

/** What {@link reconfigure} did, and what a reset puts back from now on. */
interface TakenOptions extends Omit<Reconfigured, 'notTaken'> {
  readonly startup: Saved;
}

/**
 * Takes other options: first everything is made ready in slices, then services are restarted, then all else is taken in one step.
 *
 * @param takeLimits - takes what holds for all messages, and gives the names of what has changed
 * @throws what does not work out, once all is as it was
 */
export async function reconfigure(
  work: Reconfiguration,
  takeLimits: () => readonly string[],
): Promise<TakenOptions> {
  const planned = planServices(work);
  try {
    const takeCollections = await prepareCollections(work);
    const data = await prepareData(work);
    try {
      const renewals = await prepareRenewals(work, planned);
      const goBack = await takeServices(work, planned);
      try {
        const takeReactions = await prepareReactions(work);
        await renewData(data);
        const { parts, startup } = takeData(work, data);
        const taken = takeLimits();
        const all = [...parts];
        takeCollections(all);
        const reactions = takeReactions(all);
        for (const { take } of renewals) take();
        takeContracts(work);
        const { hasNewRoutes } = planned;
        const renewed = renewals.map(({ kind }) => ({ kind, did: 'renewed' as const }));
        return {
          parts: all,
          services: [...planned.services, ...renewed],
          taken,
          hasNewRoutes,
          startup: { ...startup, reactions },
        };
      } catch (thrown) {
        await goBack();
        throw thrown;
      }
    } catch (thrown) {
      withdrawData(data);
      throw thrown;
    }
  } catch (thrown) {
    planned.withdraw();
    throw thrown;
  }
}

/** Takes the contracts of kinds that go on whose files were written anew; what was touched of them is counted anew. */
function takeContracts({ host, next }: Reconfiguration): void {
  for (const kind of host.kinds) {
    const other = next.kinds.find((each) => each.kind === kind.kind)?.contract;
    if (other !== undefined && other.loaded.digest !== kind.contract?.loaded.digest) kind.contract = other;
  }
}

/**
 * Makes collections ready that are declared otherwise, rows included, in slices.
 *
 * @returns takes them in one step
 */
async function prepareCollections({
  host,
  before,
  after,
}: Reconfiguration): Promise<(parts: ReconfiguredPart[]) => void> {
  const was = before.collections ?? {};
  const is = after.collections ?? {};
  const others = Object.entries(is).filter(
    ([name, definition]) =>
      !Object.hasOwn(was, name) || JSON.stringify(was[name]) !== JSON.stringify(definition),
  );
  const [added, changed] = [false, true].map((isThere) =>
    others.map(([name]) => name).filter((name) => host.collections.has(name) === isThere),
  ) as [string[], string[]];
  const removed = Object.keys(was).filter((name) => !Object.hasOwn(is, name) && host.collections.has(name));
  const take = await host.collections.prepareAll(others, removed);
  return (parts) => {
    take();
    note(parts, 'collections', undefined, { added, changed, removed });
  };
}

/**
 * Compiles reactions that are declared otherwise.
 *
 * @returns takes them in one step, and gives what a reset puts back
 */
async function prepareReactions({
  host,
  before,
  after,
  startup,
  nextStartup,
}: Reconfiguration): Promise<(parts: ReconfiguredPart[]) => SavedReactions> {
  const list = (saved: SavedReactions): readonly (ListedItem & SavedReactions[number])[] =>
    saved.map((each) => ({ ...each, id: each.reaction.stored.id, value: each.reaction.stored }));
  const ids = await runInSlices(idsOfBoth(before.reactions, after.reactions));
  const { pairs, gone } = await runInSlices(
    pairItemSteps(list(startup.reactions), list(nextStartup.reactions), ids),
  );
  const has = (id: string): boolean => host.reactions.list().some((each) => each.id === id);
  const removed = gone.map(({ id }) => id).filter(has);
  const others = pairs
    .filter(({ before: was, isSame }) => was === undefined || !isSame)
    .map(({ after: { reaction } }) => reaction.stored);
  const take = await host.reactions.prepareAll(others, removed);
  return (parts) => {
    const [added, changed] = [false, true].map((isThere) =>
      others.map(({ id }) => id).filter((id) => has(id) === isThere),
    ) as [string[], string[]];
    const made = new Map(take().map((reaction) => [reaction.stored.id, reaction]));
    note(parts, 'reactions', undefined, { added, changed, removed });
    return pairs.flatMap(({ before: was, after: is, isSame }) => {
      if (was !== undefined && isSame) return [{ reaction: was.reaction, runs: was.runs }];
      const reaction = made.get(is.reaction.stored.id);
      return reaction === undefined ? [] : [{ reaction, runs: 0 }];
    });
  };
}
