import { TASKS, type BacklotActions, type SpacePlace } from './cypress-actions.js';
import { addSpaceHeaders } from './space-headers.js';

export type { BacklotActions, SpacePlace } from './cypress-actions.js';

declare global {
  // Cypress declares it so, and an interface is what merges with its own.
  // oxlint-disable-next-line typescript/no-namespace
  namespace Cypress {
    // The type parameter must be as Cypress declares it.
    // oxlint-disable-next-line typescript/no-explicit-any
    interface Chainable<Subject = any> {
      /**
       * Does something in the space of the test, see {@link BacklotActions}.
       *
       * @example cy.backlot('mock', 'http', { id: 'order', request: { path: '/orders' }, response: { status: 201 } });
       */
      backlot<Name extends keyof BacklotActions>(
        name: Name,
        ...args: Parameters<BacklotActions[Name]>
      ): Chainable<ReturnType<BacklotActions[Name]>>;
    }
  }
}

/** What {@link addBacklotCommands} takes. */
export interface CypressCommandOptions {
  /** Whether what pages ask for names the space, so that shared ports take it there; `true` when absent. */
  readonly pages?: boolean;
}

interface Later {
  then(next: (value: never) => unknown): unknown;
}
interface Hooked {
  readonly currentTest?: { readonly state?: string; fullTitle(): string } | undefined;
}

/** What Cypress has in the browser, as far as it is used here. */
interface CypressGlobals {
  readonly Cypress: {
    readonly Commands: { add(name: 'backlot', run: (...given: never[]) => unknown): void };
    log(options: { readonly name: string; readonly message: string }): unknown;
  };
  readonly cy: {
    task(name: string, value: unknown, options: { readonly log: boolean }): Later;
    intercept(
      matcher: { readonly url: string; readonly middleware: boolean },
      handler: (request: { headers: Record<string, string> }) => void,
    ): unknown;
  };
  readonly beforeEach: (hook: () => unknown) => void;
  readonly afterEach: (hook: (this: Hooked) => unknown) => void;
}

/**
 * Gives tests of Cypress the command `cy.backlot`, and each test a space of its own: the part in the browser, for the support file. The part
 * in Node.js is `addBacklotTasks` of `@backlot/testing/cypress-node`. A test that fails shows what met no mock.
 */
export function addBacklotCommands({ pages = true }: CypressCommandOptions = {}): void {
  const { Cypress, cy, beforeEach, afterEach } = globalThis as unknown as CypressGlobals;
  Cypress.Commands.add('backlot', (name: string, ...args: unknown[]) => {
    Cypress.log({
      name: 'backlot',
      message: [name, ...args.filter((each) => typeof each === 'string')].join(' '),
    });
    return cy.task(TASKS.act, { name, args }, { log: false });
  });
  beforeEach(() => {
    cy.task(TASKS.begin, null, { log: false }).then(({ id }: SpacePlace) => {
      if (!pages) return;
      cy.intercept({ url: '**', middleware: true }, (request) => {
        request.headers = addSpaceHeaders(request.headers, id);
      });
    });
  });
  afterEach(function (this: Hooked) {
    const { currentTest } = this;
    if (currentTest?.state !== 'failed') return;
    cy.task(TASKS.explain, currentTest.fullTitle(), { log: false }).then((text: string) => {
      if (text !== '') Cypress.log({ name: 'backlot', message: text });
    });
  });
}
