import {
  BacklotError,
  createSpace,
  type ProtocolName,
  type SpaceClient,
  type SpaceOptions,
} from '@backlot/client';
import { assertAllMatched, assertSeen } from './assert.js';
import { TASKS, type ActionRequest, type BacklotActions, type SpacePlace } from './cypress-actions.js';
import { describeSpace } from './describe-space.js';
import { addSpaceHeaders } from './space-headers.js';

export type { BacklotActions, SpacePlace } from './cypress-actions.js';

/** What {@link addBacklotTasks} takes. */
export interface CypressOptions extends Omit<SpaceOptions, 'id'> {
  /** `test`, the default: another space for each test. `run`: one for all, in which everything is put back before each test. */
  readonly scope?: 'test' | 'run';
  /** Called before each test, in the space that it has. */
  readonly setup?: (space: SpaceClient) => void | Promise<void>;
  /** Told what met no mock in a test that has failed; written to standard output when absent. */
  readonly print?: (text: string) => void;
}

/** What Cypress gives `setupNodeEvents` as `on`, as far as it is used here. */
export interface CypressEvents {
  // The type of a task is as Cypress declares it.
  // oxlint-disable-next-line typescript/no-explicit-any
  (event: 'task', tasks: Record<string, (value: any) => any>): void;
  (event: 'after:run', handler: () => Promise<void>): void;
}

/** What {@link addBacklotTasks} answers. */
export interface BacklotTasks {
  /** Ends the space. Cypress keeps one handler of `after:run`: one of your own calls this. */
  stop(): Promise<void>;
}

/** A member of a protocol that not all have, or that the name does not give. */
interface AnyProtocol {
  readonly mocks: { remove(id: string): Promise<void> };
  calls(id: string): Promise<readonly never[]>;
  waitForCalls(id: string, count?: number, timeout?: number): Promise<readonly never[]>;
  captured(wanted?: unknown): Promise<readonly unknown[]>;
  waitForCaptured(wanted?: unknown, timeout?: number): Promise<unknown>;
  fault(fault: object): Promise<unknown>;
  clearFault(): Promise<void>;
}

type Actions = {
  readonly [Name in keyof BacklotActions]: (
    ...given: Parameters<BacklotActions[Name]>
  ) => ReturnType<BacklotActions[Name]> | Promise<ReturnType<BacklotActions[Name]>>;
};

/**
 * Gives tests of Cypress a space of a server that runs: the part in Node.js, for `setupNodeEvents`. The part in the browser is
 * `addBacklotCommands` of `@backlot/testing/cypress`.
 */
export function addBacklotTasks(on: CypressEvents, options: CypressOptions = {}): BacklotTasks {
  const {
    scope = 'test',
    setup,
    print = (text) => void process.stdout.write(`${text}\n`),
    ...rest
  } = options;
  const protocols: readonly ProtocolName[] | undefined = rest.protocols;
  let space: SpaceClient | undefined;
  const stop = async (): Promise<void> => {
    const ended = space;
    space = undefined;
    await ended?.remove();
  };
  const current = (): SpaceClient => {
    if (space !== undefined) return space;
    throw new BacklotError(
      'not_enabled',
      'there is no space yet: call addBacklotCommands() of @backlot/testing/cypress in the support file',
    );
  };
  on('task', {
    async [TASKS.begin](): Promise<SpacePlace> {
      if (scope === 'test') await stop();
      if (space === undefined) space = await createSpace({ ...rest, ...(protocols && { protocols }) });
      else await space.reset();
      await setup?.(space);
      return placeOf(space);
    },
    async [TASKS.act]({ name, args }: ActionRequest): Promise<unknown> {
      const actions = actionsOf(current());
      if (!Object.hasOwn(actions, name))
        throw new BacklotError(
          'invalid',
          `cy.backlot has no "${String(name)}"; it has ${Object.keys(actions).join(', ')}`,
        );
      const act = actions[name] as (...given: readonly unknown[]) => unknown;
      // Cypress takes `undefined` for a task that was not handled.
      return (await act(...args)) ?? null;
    },
    async [TASKS.explain](title: string): Promise<string> {
      if (space === undefined) return '';
      const { unmatched } = await describeSpace(space);
      if (unmatched !== '') print(`Backlot, "${title}": ${unmatched}`);
      return unmatched;
    },
  });
  on('after:run', stop);
  return { stop };
}

function placeOf({ id, protocols, env }: SpaceClient): SpacePlace {
  const urls = Object.entries(protocols).map(([kind, { url }]): [string, string] => [kind, url]);
  return { id, urls: Object.fromEntries(urls), env, headers: addSpaceHeaders({}, id) };
}

function actionsOf(space: SpaceClient): Actions {
  const protocol = (kind: string): AnyProtocol => {
    // All that the server has are there, also those without a type.
    const found = (space as unknown as Readonly<Record<string, AnyProtocol | undefined>>)[kind];
    if (found?.mocks !== undefined) return found;
    throw new BacklotError('not_found', `the Backlot has no ${kind}`);
  };
  return {
    space: () => placeOf(space),
    mock: (kind, mock) => space.mock<{ readonly id: string }>(kind, mock),
    remove: (kind, id) => protocol(kind).mocks.remove(id),
    calls: (kind, id) => protocol(kind).calls(id),
    waitForCalls: (kind, id, count, timeout) => protocol(kind).waitForCalls(id, count, timeout),
    journal: (filter) => space.journal.list(filter),
    captured: (kind, wanted) => protocol(kind).captured(wanted),
    waitForCaptured: (kind, wanted, timeout) => protocol(kind).waitForCaptured(wanted, timeout),
    async fault(kind, fault) {
      await (fault === undefined ? protocol(kind).clearFault() : protocol(kind).fault(fault));
    },
    async state(values) {
      if (values !== undefined) await space.state.setAll(values);
      return space.state.all();
    },
    scenario: (id, active = true) => (active ? space.scenarios.activate(id) : space.scenarios.deactivate(id)),
    advance: (milliseconds) => space.clock.advance(milliseconds),
    assertSeen: (expected, seen) => assertSeen(space, expected, seen),
    assertAllMatched: () => assertAllMatched(space),
    reset: () => space.reset(),
    call: (method, path, body) => space.call(method, path, body),
  };
}
