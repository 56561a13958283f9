import type { ReactionView, StoredReaction } from '../contract/reaction.js';
import type { CompiledAction } from './compile-action.js';
import type { CompiledTrigger } from './compile-trigger.js';

/** A stored reaction with what it is compiled to, and what became of it. */
export class Reaction {
  readonly stored: StoredReaction;
  readonly trigger: CompiledTrigger;
  readonly actions: readonly CompiledAction[];
  runs = 0;
  lastError: string | undefined = undefined;

  constructor(stored: StoredReaction, trigger: CompiledTrigger, actions: readonly CompiledAction[]) {
    this.stored = stored;
    this.trigger = trigger;
    this.actions = actions;
  }

  /** Whether it still does something. */
  get isAtWork(): boolean {
    const { enabled = true, times = Infinity } = this.stored;
    return enabled && this.runs < times;
  }

  view(): ReactionView {
    const error = this.lastError === undefined ? {} : { last_error: this.lastError };
    return { ...this.stored, runs: this.runs, ...error };
  }
}
