import type { RowChange } from '../contract/shared-changes.js';
import { isBacklotError, messageOf } from '../errors.js';
import { withLocals } from '../templates/scope.js';
import type { TemplateScope } from '../templates/template.js';
import { runAtOnce } from '../time/slices.js';
import type { CollectionStore } from './collection-store.js';
import { Draft } from './draft.js';
import { LookBudget } from './find-rows.js';
import { listSteps } from './list-rows.js';
import { foundAfter, NOTHING_FOUND, type Found, type Operation } from './operation.js';
import { checkOperation, doOperation, pageOf, Refusal, type OperationContext } from './run-operation.js';

/**
 * Why the operations of a mock cannot all be done for a message now, such as a row that is not there; `undefined` when
 * they can. Nothing is changed.
 */
export function refusalOf(
  operations: readonly Operation[],
  scope: TemplateScope,
  collections: CollectionStore,
): string | undefined {
  const work = new Work(scope, collections);
  for (const [index, operation] of operations.entries()) {
    try {
      if (index < operations.length - 1) work.do(operation);
      else work.check(operation);
    } catch (thrown) {
      if (!(thrown instanceof Refusal) && !isBacklotError(thrown)) throw thrown;
      const which = operations.length === 1 ? '' : ` (operation ${index + 1})`;
      return `collection "${operation.collection}"${which}: ${messageOf(thrown)}`;
    }
  }
  return undefined;
}

/**
 * Does the operations of a mock in order, all of them or none, and gives what templates see of them. A long list at the
 * end is given in steps, between which others are served.
 *
 * @param isDry - only tells what would be: nothing is changed
 * @throws Error when they cannot be done, see {@link refusalOf}; nothing is changed then
 */
export function* runSteps(
  operations: readonly Operation[],
  scope: TemplateScope,
  collections: CollectionStore,
  isDry: boolean,
): Generator<undefined, Found> {
  const work = new Work(scope, collections);
  const end = operations.at(-1);
  const list = end?.action === 'list' ? end : undefined;
  for (const operation of list === undefined ? operations : operations.slice(0, -1)) work.do(operation);
  const page = list === undefined ? undefined : pageOf(list, work.context);
  if (!isDry) work.draft.commit();
  if (list === undefined || page === undefined) return work.found;
  const { stored, rows, key } = work.draft.of(list.collection);
  return foundAfter(work.found, list, yield* listSteps(isDry ? rows : stored.rows, key, page));
}

/** Operations that were tried, and what they would do. */
export interface TriedOperations {
  readonly changes: readonly RowChange[];
  /**
   * What templates see of them.
   *
   * @param isMade - whether the collections have the changes by now, so that a list at the end is of their rows
   */
  readonly found: (isMade: boolean) => Generator<undefined, Found>;
  /** Whether there is a list at the end. */
  readonly hasList: boolean;
}

/**
 * Does the operations of a mock without changing anything, for hosts that make the changes together.
 *
 * @throws Error when they cannot be done, see {@link refusalOf}
 */
export function tryOperations(
  operations: readonly Operation[],
  scope: TemplateScope,
  collections: CollectionStore,
): TriedOperations {
  const work = new Work(scope, collections);
  const end = operations.at(-1);
  const list = end?.action === 'list' ? end : undefined;
  for (const operation of list === undefined ? operations : operations.slice(0, -1)) work.do(operation);
  const page = list === undefined ? undefined : pageOf(list, work.context);
  return {
    changes: [...work.draft.changes()],
    hasList: list !== undefined,
    *found(isMade) {
      if (list === undefined || page === undefined) return work.found;
      const { stored, rows, key } = work.draft.of(list.collection);
      return foundAfter(work.found, list, yield* listSteps(isMade ? stored.rows : rows, key, page));
    },
  };
}

/** The operations of one message under way. */
class Work {
  readonly draft: Draft;
  found: Found = NOTHING_FOUND;
  readonly #scope: TemplateScope;
  readonly #budget = new LookBudget();

  constructor(scope: TemplateScope, collections: CollectionStore) {
    this.draft = new Draft(collections);
    this.#scope = scope;
  }

  /** What the next operation is done with: it sees what those before it have found. */
  get context(): OperationContext {
    const { draft, found } = this;
    const scope = found === NOTHING_FOUND ? this.#scope : withLocals(this.#scope, found);
    return { draft, scope, budget: this.#budget };
  }

  /** Does an operation; what its list may cost is bounded, since the next one waits for it. */
  do(operation: Operation): void {
    this.found = foundAfter(this.found, operation, this.#do(operation));
  }

  check(operation: Operation): void {
    if (operation.action === 'list') pageOf(operation, this.context);
    else checkOperation(operation, this.context);
  }

  #do(operation: Operation): Found {
    const { context } = this;
    if (operation.action !== 'list') return doOperation(operation, context);
    const { rows, key } = this.draft.of(operation.collection);
    return runAtOnce(listSteps(rows, key, pageOf(operation, context), this.#budget));
  }
}
